package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.PrivateDocker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The product from the outside with a real Docker engine and an unmodified image.
class DockerFirstMinuteIT {
    private static final String URL = "https://" + GitServer.HOST + "/acme/app";

    private static Path root;
    private static PrivateDocker docker;
    private static GitServer server;
    private static Installation sallyport;
    private static Path app;

    @BeforeAll
    static void start() throws IOException {
        root = Files.createTempDirectory("sp-docker");
        docker = PrivateDocker.start();
        server = GitServer.start(Files.createDirectory(root.resolve("server")));
        app = server.repository("acme", "app");
        sallyport =
                Installation.with(root.resolve("i"), server, Map.of("DOCKER_HOST", docker.host()))
                        .onlyProcesses();
    }

    @AfterAll
    static void stop() {
        sallyport.close();
        server.close();
        docker.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @Test
    void dockerIsTheDefaultWhenAnEngineAnswersAndGitWorksInAnUnmodifiedImage() {
        Command.Result result =
                run(
                        "cd /tmp && git clone -q "
                                + URL
                                + " && cd app && git config user.name A && git config user.email a@test.example"
                                + " && git commit -q --allow-empty -m one && git push -q origin HEAD:refs/heads/agent/docker && git rev-parse HEAD;"
                                + " git push origin HEAD:main");

        assertThat(result.out().strip()).isEqualTo(GitServer.git(app, "rev-parse", "agent/docker"));
        assertThat(result.err()).contains("[remote rejected]");
        assertThat(containers()).isEmpty();
    }

    @Test
    void aContainerWorksInACloneOfItsOwn() {
        Command.Result result =
                sallyport
                        .sallyport(
                                "run",
                                "--clone",
                                GitServer.HOST + "/acme/app",
                                "--name",
                                "own",
                                "--",
                                "sh",
                                "-c",
                                "git branch --show-current; cat README.md; cat .git/objects/info/alternates")
                        .run();

        assertThat(result.ok().lines().toList()).startsWith("agent/own", "# acme/app").hasSize(3);
        assertThat(containers()).isEmpty();
    }

    @Test
    void P9_aContainerHasLoopbackOnlyNoCapabilitiesAndNoToken() {
        String out =
                run("tail -n +3 /proc/net/dev | cut -d: -f1; grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status;"
                                + " grep -rqsF "
                                + GitServer.TOKEN.substring(4)
                                + " /etc /root /tmp /run /proc/self/environ && echo found; cat /proc/1/environ")
                        .out();

        assertThat(out.replaceAll("\\s+", " "))
                .startsWith(
                        " lo CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 Seccomp: 2")
                .doesNotContain("found")
                .doesNotContain(GitServer.TOKEN);
    }

    @Test
    void passesExitCodesAndPipes() {
        assertThat(run("exit 37").exit()).isEqualTo(37);
        assertThat(
                        sallyport
                                .sallyport("run", "--no-repo", "--", "tr", "a-z", "A-Z")
                                .input("piped\n")
                                .run()
                                .ok())
                .isEqualTo("PIPED");
    }

    @Test
    void P13_P14_aContainerSurvivesTheWardenAndIsRemovedWhole() throws IOException {
        sallyport
                .sallyport("new", "--name", "box", "--repo", GitServer.HOST + "/acme/app")
                .run()
                .ok();
        JsonNode before = json("show", "box");
        Command.of("kill", "-KILL", json("status").get("wardenPid").asText()).run().ok();

        assertThat(exec("git ls-remote " + URL + " main")).contains("refs/heads/main");
        assertThat(json("show", "box").get("identity")).isEqualTo(before.get("identity"));
        sallyport.sallyport("stop", "box").run().ok();
        sallyport.sallyport("start", "box").run().ok();
        assertThat(exec("git ls-remote " + URL + " main")).contains("refs/heads/main");
        docker.docker("kill", json("show", "box").at("/identity/runtimeId").asText()).run().ok();
        Await.until(() -> state("box").equals("stopped"));
        assertThat(state("box")).isEqualTo("stopped");
        sallyport.sallyport("destroy", "box").run().ok();
        assertThat(containers()).isEmpty();
    }

    @Test
    void P14_commandLineKilledTakesItsContainerWithIt() {
        Process run =
                sallyport
                        .sallyport("run", "--no-repo", "--", "sh", "-c", "touch started; sleep 600")
                        .start();
        Await.until(() -> Files.exists(sallyport.workspace().resolve("started")));
        assertThat(containers()).as("positive control").isNotEmpty();

        Command.of("kill", "-KILL", Long.toString(run.pid())).run().ok();
        Await.until(() -> containers().isEmpty());

        assertThat(containers()).isEmpty();
    }

    private static Command.Result run(String script) {
        return sallyport
                .sallyport("run", "--repo", GitServer.HOST + "/acme/app", "--", "sh", "-c", script)
                .run();
    }

    private static String exec(String script) {
        return sallyport.sallyport("exec", "box", "--", "sh", "-c", script).run().ok();
    }

    private static String containers() {
        return docker.docker("ps", "-aq").run().ok();
    }

    private static String state(String name) {
        try {
            return json("show", name).get("state").asText();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode json(String command, String... arguments) throws IOException {
        String[] all = new String[arguments.length + 2];
        all[0] = command;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[all.length - 1] = "--json";
        return new ObjectMapper().readTree(sallyport.sallyport(all).run().ok());
    }
}
