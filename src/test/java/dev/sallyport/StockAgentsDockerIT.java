package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.ModelServer;
import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.fixture.StockAgents;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// An agent of the host in a container whose image does not have it.
class StockAgentsDockerIT {
    private static PrivateDocker docker;
    private static AgentRig rig;

    @BeforeAll
    static void start() throws IOException {
        docker = PrivateDocker.start();
        rig =
                new AgentRig(
                        Map.of("DOCKER_HOST", docker.host()),
                        StockAgents.NODE,
                        StockAgents.CLAUDE,
                        StockAgents.CODEX,
                        StockAgents.GEMINI,
                        StockAgents.OPENCODE,
                        StockAgents.COPILOT);
    }

    @AfterAll
    static void stop() {
        rig.close();
        docker.close();
    }

    @AfterEach
    void clear() {
        rig.clear();
    }

    /// Gemini turns git's files off for the commands of its model.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "claude --dangerously-skip-permissions -p mend",
                "codex exec mend",
                "gemini --yolo -p mend",
                "opencode run mend",
                "copilot --allow-all-tools -p mend"
            })
    void anAgentDoesATaskInAContainer(String typed) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("run", "--runtime", "docker"));
        arguments.addAll(List.of(typed.split(" ")));
        Path project = rig.project(arguments.get(3) + "-docker");
        rig.atTerminal(project, arguments.toArray(String[]::new));
        assertThat(rig.await("status 0.")).contains(ModelServer.DONE);
        rig.assertTheTaskIsDone(project);
    }

    @ParameterizedTest
    @CsvSource({
        "bypass permissions on, claude --dangerously-skip-permissions",
        "OpenAI Codex, codex --dangerously-bypass-approvals-and-sandbox",
        "Type your message, gemini --yolo",
        "Ask anything, opencode",
        "/ commands, copilot --allow-all-tools"
    })
    void anAgentAsksNothingInItsTerminalInterface(String ready, String typed) throws IOException {
        rig.converse(ready, ("--runtime docker " + typed).split(" "));
    }

    /// Where an engine answers, other commands run in containers.
    @Test
    void unlessAskedOtherwiseAnAgentHasThePersonsOwnTools() throws IOException {
        Path project = rig.project("claude-own");
        rig.atTerminal(project, "run", "claude", "--dangerously-skip-permissions", "-p", "mend it");
        rig.await("status 0.");
        rig.assertTheTaskIsDone(project);
        assertThat(rig.sallyport().sallyport("audit", "show").run().ok())
                .contains("runtime=bubblewrap");
    }
}
