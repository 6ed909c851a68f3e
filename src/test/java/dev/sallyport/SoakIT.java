package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Leftovers;
import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.fixture.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// P13 and P14 over time: sandboxes of both runtimes are made, used, killed and restarted at
/// random, and so are the processes of ours. After each step the sandboxes are as they should be;
/// in the end nothing is left.
///
/// About a minute in the suite, always with the same choices, as far as it gets; `bench/soak` runs
/// it for longer and with others. The seed of a run that failed is in the message;
/// `-Dsallyport.soak-seed` repeats its choices.
class SoakIT {
    private static final Duration DURATION =
            Duration.ofSeconds(Long.getLong("sallyport.soak-seconds", 40));
    private static final int STEPS_MIN = 8;
    private static final int SANDBOXES_MAX = 4;

    /// With which both runtimes and the end of each of our processes are among the first
    /// [#STEPS_MIN] steps.
    private static final long USUAL_SEED = 145;

    private static final String CLONE =
            "cd $(mktemp -d) && git clone -q https://"
                    + GitServer.HOST
                    + "/acme/app . && echo cloned";

    private final long seed = Long.getLong("sallyport.soak-seed", USUAL_SEED);
    private final Random random = new Random(seed);
    private final Map<String, Boolean> running = new TreeMap<>();
    private final List<String> done = new ArrayList<>();
    private Path root;
    private PrivateDocker docker;
    private GitServer server;
    private Installation sallyport;
    private Leftovers leftovers;
    private int made;

    private interface Step {
        void take() throws IOException, InterruptedException;
    }

    @BeforeEach
    void start() throws IOException {
        root = Files.createTempDirectory("sp-soak");
        docker = PrivateDocker.start();
        server = GitServer.start(Files.createDirectory(root.resolve("server")));
        server.repository("acme", "app");
        leftovers = Leftovers.of(root.resolve("i/home"));
        sallyport =
                Installation.with(root.resolve("i"), server, Map.of("DOCKER_HOST", docker.host()))
                        .onlyProcesses();
    }

    @AfterEach
    void stop() {
        sallyport.close();
        server.close();
        docker.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @Test
    void P14_nothingIsLeftAfterManyLivesAndDeaths() throws IOException, InterruptedException {
        long end = System.nanoTime() + DURATION.toNanos();
        try {
            while (System.nanoTime() - end < 0 || done.size() < STEPS_MIN) {
                step();
                compare();
            }
            for (String name : List.copyOf(running.keySet())) {
                destroy(name);
            }
            compare();
        } catch (AssertionError | IOException e) {
            throw new AssertionError("seed " + seed + ", after " + done, e);
        }
        assertThat(docker.docker("ps", "-aq").run().ok()).isEmpty();
        sallyport.close();
        assertThat(leftovers.after()).as("seed " + seed).isEmpty();
    }

    private void step() throws IOException, InterruptedException {
        if (running.isEmpty() || (running.size() < SANDBOXES_MAX && random.nextInt(4) == 0)) {
            create();
            return;
        }
        String name = List.copyOf(running.keySet()).get(random.nextInt(running.size()));
        List<Step> steps =
                running.get(name)
                        ? List.of(
                                () -> use(name),
                                () -> use(name),
                                () -> stop(name),
                                () -> killFirstProcess(name),
                                () -> killOurs("gatewayPid"),
                                () -> killOurs("wardenPid"),
                                this::killCommandLine,
                                () -> destroy(name))
                        : List.of(
                                () -> startAgain(name),
                                () -> startAgain(name),
                                () -> destroy(name));
        steps.get(random.nextInt(steps.size())).take();
    }

    private void create() throws IOException {
        String runtime = random.nextBoolean() ? "docker" : "bubblewrap";
        String name = "box" + made++;
        note("new " + name + " " + runtime);
        sallyport
                .sallyport(
                        "new",
                        "--name",
                        name,
                        "--runtime",
                        runtime,
                        "--repo",
                        GitServer.HOST + "/acme/app")
                .run()
                .ok();
        running.put(name, true);
        leftovers.watchNamespace(show(name).at("/identity/netNamespaceInode").asLong());
    }

    private void use(String name) {
        note("use " + name);
        Command exec = sallyport.sallyport("exec", name, "--", "bash", "-c", CLONE);
        assertThat(exec.run().ok()).isEqualTo("cloned");
    }

    private void stop(String name) {
        note("stop " + name);
        sallyport.sallyport("stop", name).run().ok();
        running.put(name, false);
    }

    private void startAgain(String name) throws IOException {
        note("start " + name);
        sallyport.sallyport("start", name).run().ok();
        running.put(name, true);
        leftovers.watchNamespace(show(name).at("/identity/netNamespaceInode").asLong());
    }

    private void destroy(String name) {
        note("destroy " + name);
        sallyport.sallyport("destroy", name).run().ok();
        running.remove(name);
    }

    private void killFirstProcess(String name) throws IOException {
        note("kill the first process of " + name);
        Processes.kill(show(name).at("/identity/pid").asLong());
        running.put(name, false);
    }

    private void killOurs(String which) throws IOException {
        note("kill " + which);
        long[] pid = {0};
        Await.until(() -> (pid[0] = status(which)) > 0);
        Processes.kill(pid[0]);
    }

    /// 0 between two gateways.
    private long status(String which) {
        try {
            return json("status").get(which).asLong();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// An ephemeral sandbox whose command line dies.
    private void killCommandLine() throws IOException, InterruptedException {
        note("kill a command line");
        Process run = sallyport.startWaiting();
        Processes.kill(run.pid());
        run.descendants().forEach(ProcessHandle::destroyForcibly);
        assertThat(run.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    private void note(String step) {
        done.add(step);
    }

    /// What happens by itself (an end that is noticed, a sandbox that goes with its command line)
    /// may take a moment.
    private void compare() {
        Map<String, Boolean> wanted = Map.copyOf(running);
        Await.until(() -> states().equals(wanted));
        assertThat(states()).isEqualTo(wanted);
    }

    private Map<String, Boolean> states() {
        Map<String, Boolean> states = new TreeMap<>();
        try {
            for (JsonNode sandbox : json("list").get("sandboxes")) {
                states.put(
                        sandbox.get("name").asText(),
                        sandbox.get("state").asText().equals("running"));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return states;
    }

    private JsonNode show(String name) throws IOException {
        return json("show", name);
    }

    private JsonNode json(String... arguments) throws IOException {
        String[] withJson = Arrays.copyOf(arguments, arguments.length + 1);
        withJson[arguments.length] = "--json";
        return new ObjectMapper().readTree(sallyport.sallyport(withJson).run().ok());
    }
}
