package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.DevServer;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Machine;
import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.fixture.ProcessMemory;
import dev.sallyport.fixture.Processes;
import dev.sallyport.porter.SidecarProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Two machines: one has the secrets and the gateway, the other one the sandboxes.
class RemoteIT {
    private static final String REPO = GitServer.HOST + "/acme/app";
    private static final String URL = "https://" + REPO;
    private static final String PORT = "8443";
    private static final ObjectMapper JSON = new ObjectMapper();

    private static Path root;
    private static Machine gateways;
    private static Machine sandboxes;
    private static GitServer server;
    private static PrivateDocker docker;
    private static Path app;

    /// On the gateway's machine.
    private static Installation there;

    /// On the machine of the sandboxes.
    private static Installation here;

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-remote");
        List<Machine> both = Machine.pair();
        gateways = both.getFirst();
        sandboxes = both.getLast();
        server = GitServer.start(Files.createDirectory(root.resolve("server")), gateways);
        app = server.repository("acme", "app");
        there = Installation.bare(root.resolve("g")).on(gateways).knowing(server);
        docker = PrivateDocker.start();
        here =
                Installation.bare(root.resolve("h"), Map.of("DOCKER_HOST", docker.host()))
                        .on(sandboxes);
        there.sallyport("gateway", "--listen", gateways.address() + ":" + PORT).run().ok();
        enroll("box", "gateway").ok();
        sandbox("work", "gateway", "--runtime", "bubblewrap", "--publish", "3000");
        sandbox("contained", "gateway", "--runtime", "docker");
    }

    @AfterAll
    static void stopEverything() {
        here.close();
        docker.close();
        there.close();
        server.close();
        sandboxes.close();
        gateways.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static String code(String host) {
        return there.sallyport(
                        "gateway", "code", host, "--address", gateways.address() + ":" + PORT)
                .run()
                .ok();
    }

    private static Command.Result enroll(String host, String gateway) {
        return here.sallyport("enroll", "-", "--name", gateway).input(code(host)).run();
    }

    private static void sandbox(String name, String gateway, String... more) {
        List<String> words = new ArrayList<>(List.of("new", "--name", name, "--gateway", gateway));
        words.addAll(List.of("--repo", REPO));
        words.addAll(List.of(more));
        here.sallyport(words.toArray(String[]::new)).run().ok();
    }

    private static Command exec(String name, String script) {
        return here.sallyport("exec", name, "--", "bash", "-c", script);
    }

    private static JsonNode json(Installation of, String... arguments) throws IOException {
        return JSON.readTree(of.sallyport(arguments).run().ok());
    }

    private static String session(String name) throws IOException {
        return json(here, "show", name, "--json").path("session").asText();
    }

    /// What the record of the gateway's machine says of a session.
    private static List<JsonNode> recorded(String session, String kind) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : there.sallyport("audit", "show", "--json").run().ok().lines().toList()) {
            JsonNode one = JSON.readTree(line);
            if (one.path("session").asText().equals(session)
                    && one.path("kind").asText().startsWith(kind)) {
                lines.add(one);
            }
        }
        return lines;
    }

    @ParameterizedTest
    @ValueSource(strings = {"work", "contained"})
    void worksAsOnOneMachineAndTheSecretStaysOnTheOther(String name) throws Exception {
        String branch = "agent/" + name;
        String script =
                "cd $(mktemp -d) && git clone -q "
                        + URL
                        + " . && git -c user.name=A -c user.email=a@test.example commit -q"
                        + " --allow-empty -m x && git push -q origin HEAD:refs/heads/"
                        + branch
                        + " && git rev-parse HEAD; git push origin HEAD:main";
        String main = GitServer.git(app, "rev-parse", "main");

        Command.Result result = exec(name, script).run();

        assertThat(result.out().strip()).isEqualTo(GitServer.git(app, "rev-parse", branch));
        assertThat(result.err()).contains("[remote rejected]", "agent/**");
        assertThat(GitServer.git(app, "rev-parse", "main")).isEqualTo(main);
        List<JsonNode> pushes = recorded(session(name), "git.push");
        assertThat(pushes).anyMatch(line -> line.path("decision").asText().equals("allow"));
        assertThat(pushes).anyMatch(line -> line.path("decision").asText().equals("deny"));
        assertThat(here.sallyport("audit", "show", "--json").run().ok())
                .contains(session(name))
                .doesNotContain("git.push");
        requireNoSecretHere();
    }

    private static void requireNoSecretHere() throws IOException {
        assertThat(filesWithTheToken(there)).as("control").anyMatch(f -> f.contains("/secrets/"));
        assertThat(filesWithTheToken(here)).isEmpty();
        JsonNode status = json(there, "status", "--json");
        assertThat(ProcessMemory.contains(status.path("gatewayPid").asLong(), GitServer.TOKEN))
                .as("control: the gateway uses it")
                .isTrue();
        List<Long> daemons = daemons();
        assertThat(daemons).as("warden, gateway, sidecar").hasSizeGreaterThan(2);
        for (long pid : daemons) {
            assertThat(Files.readString(Path.of("/proc/" + pid + "/environ")))
                    .doesNotContain(GitServer.TOKEN);
            assertThat(ProcessMemory.contains(pid, GitServer.TOKEN)).isFalse();
        }
    }

    private static List<String> filesWithTheToken(Installation of) {
        byte[] token = GitServer.TOKEN.getBytes(StandardCharsets.US_ASCII);
        String either = GitServer.TOKEN + "\n" + Base64.getEncoder().encodeToString(token);
        String home = of.home().toString();
        Command grep = Command.of("grep", "-raFl", either, home, of.workspace().toString());
        return grep.run().out().lines().toList();
    }

    private static List<Long> daemons() throws IOException {
        long warden = json(here, "status", "--json").path("wardenPid").asLong();
        List<Long> all = new ArrayList<>(List.of(warden));
        ProcessHandle.of(warden).orElseThrow().descendants().forEach(one -> all.add(one.pid()));
        return all.stream()
                .filter(pid -> Processes.commandLine(pid).contains("internal-"))
                .toList();
    }

    private static List<Long> sidecars() throws IOException {
        long warden = json(here, "status", "--json").path("wardenPid").asLong();
        return SidecarProcess.of(warden).stream().map(SidecarProcess::pid).toList();
    }

    @Test
    void P9_nothingElseIsReachableFromInside() throws Exception {
        RemoteProbes everywhere = new RemoteProbes(gateways, sandboxes, PORT);
        Process listener = everywhere.listen();
        try {
            for (Map.Entry<String, String> probe : everywhere.probes().entrySet()) {
                Await.until(
                        "control: the machine itself reaches " + probe.getKey(),
                        () -> sandboxes.command("bash", "-c", probe.getValue()).run().exit() == 0);
            }
            for (String name : List.of("work", "contained")) {
                for (Map.Entry<String, String> probe : everywhere.probes().entrySet()) {
                    Command.Result inside = exec(name, probe.getValue()).run();
                    assertThat(inside.exit()).as(probe.getKey() + ": " + inside.all()).isNotZero();
                }
                exec(name, REQUEST).run().ok();
                assertThat(here.sallyport("verify", name).run().ok())
                        .containsPattern("pass +the sidecar's network, from outside +none")
                        .doesNotContain("FAIL");
            }
            assertThat(sidecars()).hasSizeGreaterThan(1);
            for (long sidecar : sidecars()) {
                everywhere.requireNothingIsReachedBy(sidecar);
            }
            assertThat(found(here, "sidecars")).contains("\"OK\"", "without a network");
        } finally {
            listener.destroyForcibly().onExit().join();
        }
    }

    private static final String REQUEST = "git ls-remote -q " + URL + " main";

    /// Each request that arrived upstream is in the record, before and after.
    private static void requireNextRequestWorks(String after) throws IOException {
        int asked = recorded(session("work"), "git.").size();
        int arrived = server.requests().size();
        assertThat(exec("work", REQUEST).run().ok())
                .as("after " + after)
                .contains("refs/heads/main");
        assertThat(server.requests().size()).isGreaterThan(arrived);
        assertThat(recorded(session("work"), "git.").size()).as("recorded").isGreaterThan(asked);
    }

    @Test
    void P13_whateverIsKilledTheNextRequestWorksAndIsRecorded() throws Exception {
        requireNextRequestWorks("nothing");
        List<Long> sidecars = sidecars();
        assertThat(sidecars).hasSizeGreaterThan(1);
        sidecars.forEach(Processes::kill);
        requireNextRequestWorks("the sidecars");
        assertThat(sidecars()).isNotEmpty().doesNotContainAnyElementsOf(sidecars);

        there.killGateway();
        requireNextRequestWorks("the gateway process");

        Processes.kill(json(here, "status", "--json").path("wardenPid").asLong());
        requireNextRequestWorks("the warden of the sandbox's machine");

        Processes.kill(json(there, "status", "--json").path("wardenPid").asLong());
        there.sallyport("gateway").run().ok();
        Await.until("the way is there again", () -> exec("work", REQUEST).run().exit() == 0);
        requireNextRequestWorks("the warden of the gateway's machine");
        there.sallyport("audit", "verify").run().ok();
        here.sallyport("audit", "verify").run().ok();
    }

    @Test
    void aRequestWaitsWhileTheNetworkIsAway() throws Exception {
        requireNextRequestWorks("nothing");
        Path started = here.workspace().resolve("started");
        sandboxes.cut();
        Process request;
        try {
            Await.until(
                    "the loss is noticed",
                    () ->
                            here.sallyport("list", "--json")
                                    .run()
                                    .ok()
                                    .contains("the gateway cannot be used"));
            request = exec("work", "touch started; exec " + REQUEST).start();
            Await.until("the request is under way", () -> Files.exists(started));
        } finally {
            sandboxes.join();
        }
        String out = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(request.waitFor()).isZero();
        assertThat(out).contains("refs/heads/main");
    }

    /// Without the network, what passes stays on the machine of the sandbox.
    @Test
    void I16_aPublishedPortIsOneOfTheSandboxesMachineAndNeedsNoGateway() throws Exception {
        exec("work", DevServer.perl(here.workspace(), 3000, "127.0.0.1")[2]).run().ok();
        DevServer.awaitListening(here.workspace(), 3000);
        Await.until("it is reached", () -> DevServer.shows(sandboxes, "127.0.0.1", 3000));
        Command.Result elsewhere = there.sallyport("ports", "box.work", "8080:3000").run();
        assertThat(elsewhere.err()).contains("another machine, box");
        here.sallyport("ports", "work", "8080:3000").run().ok();
        sandboxes.cut();
        try {
            for (String address : List.of("127.0.0.1", "[::1]")) {
                assertThat(DevServer.shows(sandboxes, address, 3000)).as(address).isTrue();
                assertThat(DevServer.shows(sandboxes, address, 8080)).as(address).isTrue();
                assertThat(DevServer.shows(gateways, address, 3000)).as(address).isFalse();
                assertThat(DevServer.shows(gateways, address, 8080)).as(address).isFalse();
            }
            String inside =
                    "exec 3<>/dev/tcp/127.0.0.1/3000 || exit 9; exec 3<>/dev/tcp/127.0.0.1/8080";
            assertThat(exec("work", inside).run().exit()).as("from inside").isEqualTo(1);
        } finally {
            sandboxes.join();
        }
        List<Long> sidecars = sidecars();
        sidecars.forEach(Processes::kill);
        Await.until("the next one serves it", () -> DevServer.shows(sandboxes, "127.0.0.1", 8080));
        assertThat(sidecars()).isNotEmpty().doesNotContainAnyElementsOf(sidecars);
        assertThat(here.sallyport("audit", "show").run().ok())
                .containsPattern("session.publish .*host-port=8080 inside-port=3000")
                .containsPattern("port.used .*host-port=8080 inside-port=3000");
        here.sallyport("ports", "work", "--remove", "8080").run().ok();
        Await.until("it is closed", () -> !DevServer.shows(sandboxes, "127.0.0.1", 8080));
        assertThat(DevServer.shows(sandboxes, "127.0.0.1", 3000)).as("the other one").isTrue();
        assertThat(there.sallyport("audit", "show").run().ok())
                .contains("session.create")
                .doesNotContain("publish", "port.used");
    }

    /// It needs a sidecar that connects, which those of sandboxes without ports cannot.
    @Test
    void theFirstPortOfARunningSandboxHasItsSidecarStartedAgain() throws Exception {
        List<Long> before = sidecars();
        here.sallyport("ports", "contained", "8090:3000").run().ok();
        Await.until("one ends", () -> before.stream().anyMatch(Processes::hasEnded));
        exec("contained", REQUEST).run().ok();
    }

    @Test
    void I3_whatIsDestroyedOnOneMachineIsGoneOnTheOther() throws Exception {
        enroll("second", "other").ok();
        sandbox("one", "other", "--runtime", "bubblewrap");
        sandbox("two", "other", "--runtime", "bubblewrap");
        assertThat(listedThere()).contains("second.one", "second.two");

        here.sallyport("destroy", "one").run().ok();
        Await.until("it is gone there", () -> !listedThere().contains("second.one"));

        exec("two", REQUEST).run().ok();
        there.sallyport("destroy", "second.two").run().ok();
        assertThat(exec("two", "timeout 20 " + REQUEST).run().exit()).isNotZero();
        Await.until(
                "it says why",
                () -> here.sallyport("list", "--json").run().ok().contains("the gateway cannot"));
        requireNextRequestWorks("the end of another sandbox");
    }

    private static String listedThere() {
        return there.sallyport("list").run().ok();
    }

    @Test
    void doctorSeesTheOtherMachineAndACodeThatWasTakenBackIsGone() throws Exception {
        String code = code("nobody");
        JsonNode open = json(there, "gateway", "--json").path("codes").path(0);
        assertThat(open.path("host").asText()).isEqualTo("nobody");
        there.sallyport("gateway", "code", "--remove", open.path("id").asText()).run().ok();
        Command.Result refused = here.sallyport("enroll", "-", "--name", "no").input(code).run();
        assertThat(refused.exit()).isNotZero();
        assertThat(there.sallyport("gateway").run().ok()).contains("box").doesNotContain("nobody");

        assertThat(found(here, "remote gateway gateway")).contains("\"OK\"", "answers, version");
        assertThat(found(there, "port for other machines")).contains("\"OK\"", PORT);
    }

    /// What `doctor` says about this; it may find other faults of the machine.
    private static String found(Installation of, String subject) throws IOException {
        for (JsonNode one :
                JSON.readTree(of.sallyport("doctor", "--json").run().out()).path("findings")) {
            if (one.path("subject").asText().equals(subject)) {
                return one.toString();
            }
        }
        return "nothing";
    }

    @Test
    void I3_aHostThatWasRemovedIsRefusedAndACodeIsGoodOnce() throws Exception {
        String code = code("third");
        here.sallyport("enroll", "-", "--name", "third").input(code).run().ok();
        Command.Result again = here.sallyport("enroll", "-", "--name", "again").input(code).run();
        assertThat(again.exit()).isNotZero();
        assertThat(here.sallyport("enroll", "--list").run().ok())
                .contains("third")
                .doesNotContain("again");
        sandbox("three", "third", "--runtime", "bubblewrap");
        exec("three", REQUEST).run().ok();
        int arrived = server.requests().size();

        there.sallyport("gateway", "remove", "third").run().ok();

        assertThat(listedThere()).doesNotContain("third.three");
        assertThat(there.sallyport("gateway").run().ok()).doesNotContain("third");
        assertThat(exec("three", "timeout 20 " + REQUEST).run().exit()).isNotZero();
        Command.Result more =
                here.sallyport("new", "--name", "four", "--gateway", "third", "--no-repo").run();
        assertThat(more.exit()).isNotZero();
        assertThat(more.err()).contains("sallyport gateway");
        assertThat(listedThere()).doesNotContain("four");
        assertThat(server.requests()).hasSize(arrived);
        requireNextRequestWorks("the removal of another host");
    }
}
