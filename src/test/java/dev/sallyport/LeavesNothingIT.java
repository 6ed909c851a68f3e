package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Leftovers;
import dev.sallyport.fixture.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// P13 and P14: each process is killed in turn; work goes on or stops safely, and nothing is left.
class LeavesNothingIT {
    private static final String CLONE =
            "cd $(mktemp -d) && git clone -q https://"
                    + GitServer.HOST
                    + "/acme/app . && echo cloned";

    private Path root;
    private GitServer server;
    private Installation sallyport;
    private Leftovers leftovers;

    @BeforeEach
    void start() throws IOException {
        root = Files.createTempDirectory("sp-kill");
        server = GitServer.start(Files.createDirectory(root.resolve("server")));
        server.repository("acme", "app");
        leftovers = Leftovers.of(root.resolve("i/home"));
        sallyport = Installation.with(root.resolve("i"), server).onlyProcesses();
    }

    @AfterEach
    void stop() {
        sallyport.close();
        server.close();
        assertThat(leftovers.after()).isEmpty();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @Test
    void P13_gatewayKilledIsReplacedAndTheSandboxNoticesNothing() throws IOException {
        newSandbox();
        long first = sandbox().at("/identity/pid").asLong();

        sallyport.killGateway();
        String answer =
                exec(
                        "curl -s --max-time 60 -o /dev/null -w '%{http_code}' http://gateway.sallyport/healthz");

        assertThat(answer).as("the request waits for the next gateway").isEqualTo("200");
        assertThat(exec(CLONE)).isEqualTo("cloned");
        assertThat(sandbox().at("/identity/pid").asLong()).isEqualTo(first);
        assertThat(status().get("gatewayRestarts").asInt()).isEqualTo(1);
    }

    @Test
    void P13_wardenKilledFailsClosedAndTheNextCommandReattaches() throws IOException {
        newSandbox();
        long first = sandbox().at("/identity/pid").asLong();
        long gateway = status().get("gatewayPid").asLong();

        Processes.kill(status().get("wardenPid").asLong());
        Await.until(() -> Processes.hasEnded(gateway));

        assertThat(Processes.hasEnded(gateway))
                .as("the gateway does not outlive the warden")
                .isTrue();
        assertThat(exec(CLONE)).isEqualTo("cloned");
        assertThat(sandbox().at("/identity/pid").asLong())
                .as("the sandbox was not restarted")
                .isEqualTo(first);
    }

    @Test
    void P14_commandLineKilledTakesItsSandboxWithIt() throws IOException {
        Process run = sallyport.startWaiting();
        watchNamespaces();
        Processes.kill(run.pid());
        run.descendants().forEach(ProcessHandle::destroyForcibly);

        Await.until(() -> list().isEmpty());
        assertThat(list()).isEmpty();
        assertThat(leftovers.processes()).noneMatch(line -> line.contains("bwrap"));
    }

    @Test
    void P14_firstProcessKilledStopsTheSandboxAndStartBringsItBack() throws IOException {
        newSandbox();

        Processes.kill(sandbox().at("/identity/pid").asLong());
        Await.until(() -> state().equals("stopped"));

        assertThat(state()).isEqualTo("stopped");
        sallyport.sallyport("start", "box").run().ok();
        assertThat(exec(CLONE)).isEqualTo("cloned");
        sallyport.sallyport("destroy", "box").run().ok();
        assertThat(list()).isEmpty();
    }

    @Test
    void P14_everythingKilledAtOnceIsSweptByTheNextCommand() throws IOException {
        newSandbox();
        exec("echo kept > ~/file");
        Process run = sallyport.startWaiting();
        watchNamespaces();
        JsonNode status = status();
        // The warden last, because a gateway goes with it.
        Processes.kill(
                run.pid(), status.get("gatewayPid").asLong(), status.get("wardenPid").asLong());

        sallyport.sallyport("up").run().ok();
        Await.until(() -> list().size() == 1);

        assertThat(list()).hasSize(1);
        assertThat(exec(CLONE)).isEqualTo("cloned");
        // By design a home stays: the sandbox's until it is destroyed, the project's after that.
        assertThat(exec("cat ~/file")).isEqualTo("kept");
        assertThat(json("homes").at("/homes")).hasSize(2);
        sallyport.sallyport("destroy", "box").run().ok();
        assertThat(json("homes").at("/homes")).hasSize(1);
    }

    private void newSandbox() {
        sallyport
                .sallyport(
                        "new",
                        "--name",
                        "box",
                        "--runtime",
                        "bubblewrap",
                        "--repo",
                        GitServer.HOST + "/acme/app")
                .run()
                .ok();
        watchNamespaces();
    }

    /// Has the namespaces of all sandboxes that run now looked for in the end.
    private void watchNamespaces() {
        assertThat(list()).isNotEmpty();
        list().forEach(
                        sandbox ->
                                leftovers.watchNamespace(
                                        sandbox.at("/identity/netNamespaceInode").asLong()));
    }

    private String exec(String script) {
        return sallyport.sallyport("exec", "box", "--", "bash", "-c", script).run().ok();
    }

    private JsonNode sandbox() throws IOException {
        return json("show", "box");
    }

    private String state() {
        try {
            return sandbox().get("state").asText();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private JsonNode status() throws IOException {
        return json("status");
    }

    private JsonNode list() {
        try {
            return json("list").get("sandboxes");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private JsonNode json(String... arguments) throws IOException {
        String[] withJson = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        withJson[arguments.length] = "--json";
        return new ObjectMapper().readTree(sallyport.sallyport(withJson).run().ok());
    }
}
