package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.LostJob;
import dev.sallyport.fixture.PrivateDocker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What happens to a container behind Sallyport's back, with a real engine.
class DockerLifeIT {
    /// Asks the front door from where it runs.
    private static final String ASK =
            "exec 3<>/dev/tcp/127.0.0.1/80 && printf 'GET /healthz HTTP/1.1\\r\\nHost: gateway.sallyport\\r\\nConnection: close\\r\\n\\r\\n' >&3 && grep -x ok <&3";

    private static Path root;
    private static PrivateDocker docker;
    private static Installation sallyport;

    private JsonNode box;

    @BeforeAll
    static void start() throws IOException {
        root = Files.createTempDirectory("sp-life");
        docker = PrivateDocker.start();
        sallyport = Installation.bare(root.resolve("i"), Map.of("DOCKER_HOST", docker.host()));
    }

    @AfterAll
    static void stop() {
        sallyport.close();
        docker.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @BeforeEach
    void make() {
        sallyport.sallyport("new", "--name", "box", "--no-repo").run().ok();
        box = show();
        assertThat(answers(container())).as("positive control").isTrue();
    }

    @AfterEach
    void destroy() {
        sallyport.sallyport("destroy", "box").run().ok();
        for (String other : docker.docker("ps", "-aq").run().ok().lines().toList()) {
            docker.docker("rm", "-f", other).run().ok();
        }
        docker.docker("network", "prune", "-f").run().ok();
    }

    /// The engine's client takes no command along when it dies.
    @Test
    void aJobEndsWithItsTerminalAndItsCommandLine() throws IOException {
        new LostJob(sallyport, "box").endsHoweverItsCommandLineIsLost();
    }

    @Test
    void aRestartBehindOurBackKeepsTheSessionAndGivesItDoorsInTheNewNamespace() {
        docker.docker("restart", "-t", "1", container()).run().ok();

        Await.until(() -> running() && answers(container()));
        assertThat(answers(container())).isTrue();
        JsonNode again = show();
        assertThat(again.get("session")).isEqualTo(box.get("session"));
        assertThat(again.at("/identity/runtimeId")).isEqualTo(box.at("/identity/runtimeId"));
        assertThat(again.at("/identity/pid")).isNotEqualTo(box.at("/identity/pid"));
        assertThat(again.at("/verified/by").asText()).contains("Docker");
        assertThat(audit("session.reattach"))
                .contains("\"pid-before\":\"" + box.at("/identity/pid").asText() + "\"")
                .contains("\"pid\":\"" + again.at("/identity/pid").asText() + "\"");

        sallyport.sallyport("end", "box").run().ok();
        docker.docker("start", container()).run().ok();
        assertThat(answers(container())).as("ended for good").isFalse();
        assertThat(sallyport.sallyport("start", "box").run().exit()).isNotZero();
        assertThat(runs(container())).as("positive control").isTrue();
        sallyport.sallyport("stop", "box").run().ok();
        assertThat(runs(container())).as("and yet it can be stopped").isFalse();
    }

    @Test
    void whatItsPersonStoppedGetsNoDoorsWhenOthersStartIt() {
        sallyport.sallyport("stop", "box").run().ok();
        docker.docker("start", container()).run().ok();
        Await.until(() -> !audit("session.start-ignored").isEmpty());

        assertThat(audit("session.start-ignored")).isNotEmpty();
        assertThat(state()).isEqualTo("stopped");
        assertThat(answers(container())).isFalse();
        assertThat(sallyport.sallyport("show", "box").run().err())
                .contains("started outside Sallyport");

        sallyport.sallyport("start", "box").run().ok();
        assertThat(answers(container())).as("its person may").isTrue();
        sallyport.sallyport("stop", "box").run().ok();
        docker.docker("start", container()).run().ok();
        sallyport.sallyport("stop", "box").run().ok();
        assertThat(runs(container())).as("whether its start was seen or not").isFalse();
    }

    /// I1, I3: same name, same labels, no network; and yet another container.
    @Test
    void anotherContainerInItsPlaceIsNotAttached() {
        String home = inspect("{{index .Config.Labels \"dev.sallyport.home\"}}", container());
        docker.docker("rm", "-f", container()).run().ok();
        Await.until(() -> state().equals("stopped"));
        String impostor =
                container(
                        "--network=none",
                        "--name=sallyport-" + session(),
                        "--label=dev.sallyport.session=" + session(),
                        "--label=dev.sallyport.home=" + home);

        Await.until(() -> !audit("session.identity-refused").isEmpty());

        assertThat(audit("session.identity-refused")).contains(impostor.substring(0, 12));
        assertThat(answers(impostor)).isFalse();
        assertThat(sallyport.sallyport("start", "box").run().err()).contains("was removed");
        assertThat(answers(impostor)).isFalse();
    }

    /// I1, I3: names and labels can be taken while ours runs; doors belong to none of them.
    @Test
    void namesAndLabelsThatOthersTakeMoveNoDoors() {
        String home = inspect("{{index .Config.Labels \"dev.sallyport.home\"}}", container());
        String named = container("--network=none", "--name=stranger");
        docker.docker("rename", container(), "elsewhere").run().ok();
        docker.docker("rename", "stranger", "sallyport-" + session()).run().ok();
        docker.docker("rename", "elsewhere", "stranger").run().ok();
        Await.until(() -> audit("session.identity-refused").contains(named.substring(0, 12)));

        assertThat(audit("session.identity-refused")).contains(named.substring(0, 12));
        assertThat(answers(named)).isFalse();
        assertThat(answers(container())).as("it is who it was").isTrue();
        assertThat(show().get("identity")).isEqualTo(box.get("identity"));
        docker.docker("rm", "-f", named).run().ok();

        String labelled =
                container(
                        "--network=none",
                        "--label=dev.sallyport.session=" + session(),
                        "--label=dev.sallyport.home=" + home);
        Await.until(() -> audit("session.identity-refused").contains(labelled.substring(0, 12)));
        assertThat(audit("session.identity-refused")).contains(labelled.substring(0, 12));
        assertThat(answers(labelled)).isFalse();
        assertThat(answers(container())).isTrue();
    }

    /// I1: it was made without a network, as ours are, and joined afterwards.
    @Test
    void aProcessOfAnotherContainerInItsNamespaceTakesTheDoorsAway() {
        Path ours = namespace(pid(container()));
        String joined =
                docker.docker(
                                "run",
                                "-d",
                                "--network=none",
                                "--pid=host",
                                "--cap-add=SYS_ADMIN",
                                "--cap-add=SYS_PTRACE",
                                "--security-opt=seccomp=unconfined",
                                PrivateDocker.IMAGE,
                                "nsenter",
                                "-t",
                                box.at("/identity/pid").asText(),
                                "-n",
                                "sleep",
                                "1000")
                        .run()
                        .ok();
        Await.until(() -> namespace(pid(joined)).equals(ours));
        assertThat(namespace(pid(joined))).isEqualTo(ours);
        // Any event makes the warden look; the first may have come before it had joined.
        docker.docker("rename", joined, "joined").run().ok();
        Await.until(() -> state().equals("stopped"));

        assertThat(state()).isEqualTo("stopped");
        assertThat(audit("session.identity-refused"))
                .contains(joined.substring(0, 12), "shares the sandbox's network");
    }

    /// E20, I1
    @Test
    void aNetworkThatIsConnectedTakesTheDoorsAway() {
        docker.docker("network", "create", "--internal", "--subnet=192.0.2.0/24", "net").run().ok();
        container("--network=net");
        assertThat(answers(container())).as("another's network changes nothing").isTrue();

        docker.docker("network", "connect", "net", container()).run().ok();
        Await.until(() -> state().equals("stopped"));

        assertThat(state()).isEqualTo("stopped");
        assertThat(audit("session.identity-refused")).contains("has a network");
        assertThat(sallyport.sallyport("start", "box").run().exit()).isNotZero();
    }

    /// I1
    @Test
    void aContainerThatJoinsItsNamespaceTakesTheDoorsAway() {
        String beside = container("--network=none");
        assertThat(answers(container())).as("a neighbour changes nothing").isTrue();
        assertThat(answers(beside)).isFalse();

        String joined = container("--network=container:" + container());
        Await.until(() -> state().equals("stopped"));

        assertThat(audit("session.identity-refused")).contains("shares the sandbox's network");
        assertThat(answers(joined)).isFalse();
        assertThat(sallyport.sallyport("start", "box").run().exit()).isNotZero();
        docker.docker("rm", "-f", joined).run().ok();
        sallyport.sallyport("start", "box").run().ok();
        assertThat(answers(container())).isTrue();
    }

    @Test
    void aPauseIsNoEnd() {
        docker.docker("pause", container()).run().ok();
        Await.until(() -> state().equals("paused"));
        assertThat(state()).isEqualTo("paused");
        assertThat(show().get("identity")).isEqualTo(box.get("identity"));
        docker.docker("unpause", container()).run().ok();
        Await.until(DockerLifeIT::running);
        assertThat(audit("session.pause")).isNotEmpty();
        assertThat(audit("session.unpause")).isNotEmpty();
        Command.of("kill", "-STOP", box.at("/identity/pid").asText()).run().ok();
        docker.docker("rename", container(), "elsewhere").run().ok();
        Command.of("kill", "-CONT", box.at("/identity/pid").asText()).run().ok();

        assertThat(answers(container())).isTrue();
        assertThat(show().get("identity")).isEqualTo(box.get("identity"));
        docker.docker("pause", container()).run().ok();
        sallyport.sallyport("stop", "box").run().ok();
        assertThat(state()).as("a paused one can be stopped").isEqualTo("stopped");
    }

    @Test
    void anEngineThatIsRestartedEndsOrKeepsItsContainersAndSoDoWe() {
        docker.stopEngine();
        Await.until(() -> state().equals("stopped"));
        docker.startEngine("--live-restore");
        sallyport.sallyport("start", "box").run().ok();
        assertThat(answers(container())).isTrue();
        JsonNode before = show();

        docker.stopEngine();
        assertThat(show().get("identity")).isEqualTo(before.get("identity"));
        docker.startEngine("--live-restore");

        assertThat(answers(container())).isTrue();
        assertThat(show().get("identity")).isEqualTo(before.get("identity"));
        docker.docker("restart", "-t", "1", container()).run().ok();
        Await.until(() -> running() && answers(container()));
        assertThat(answers(container())).as("events are heard again").isTrue();
    }

    private String container() {
        return box.at("/identity/runtimeId").asText();
    }

    private String session() {
        return box.get("session").asText();
    }

    private static String container(String... options) {
        String[] all = new String[options.length + 5];
        all[0] = "run";
        all[1] = "-d";
        System.arraycopy(options, 0, all, 2, options.length);
        all[all.length - 3] = PrivateDocker.IMAGE;
        all[all.length - 2] = "sleep";
        all[all.length - 1] = "1000";
        return docker.docker(all).run().ok();
    }

    private static boolean answers(String container) {
        return docker.docker("exec", container, "bash", "-c", ASK).run().exit() == 0;
    }

    private static boolean runs(String container) {
        return inspect("{{.State.Running}}", container).equals("true");
    }

    private static String pid(String container) {
        return inspect("{{.State.Pid}}", container);
    }

    private static String inspect(String format, String container) {
        return docker.docker("inspect", "-f", format, container).run().ok();
    }

    private static Path namespace(String pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", pid, "ns", "net"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean running() {
        return state().equals("running");
    }

    private static String state() {
        return show().get("state").asText();
    }

    private static JsonNode show() {
        try {
            return new ObjectMapper()
                    .readTree(sallyport.sallyport("show", "box", "--json").run().ok());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// The last line of this kind about this sandbox.
    private String audit(String kind) {
        try {
            return Files.readAllLines(sallyport.home().resolve("audit/audit.jsonl")).stream()
                    .filter(line -> line.contains('"' + kind + '"') && line.contains(session()))
                    .reduce("", (_, last) -> last);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
