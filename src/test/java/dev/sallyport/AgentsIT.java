package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.ModelServer;
import dev.sallyport.fixture.StockAgents;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Agents as their vendors publish them, started by their names at a terminal, with no option of
/// ours.
class AgentsIT {
    private static AgentRig rig;

    @BeforeAll
    static void start() throws IOException {
        rig = new AgentRig(Map.of(), StockAgents.CLAUDE, StockAgents.CODEX);
    }

    @AfterAll
    static void stop() {
        rig.close();
    }

    @AfterEach
    void clear() {
        rig.clear();
    }

    @Test
    void claudeDoesATaskInPrintMode() throws IOException {
        Path project = rig.project("claude-print");
        rig.atTerminal(project, "run", "claude", "--dangerously-skip-permissions", "-p", "mend it");
        assertThat(rig.await("status 0.")).contains(ModelServer.DONE);
        rig.assertTheTaskIsDone(project);
    }

    @Test
    void claudeAsksNothingInItsTerminalInterface() throws IOException {
        Path project = rig.project("claude-screen");
        rig.atTerminal(project, "run", "claude", "--dangerously-skip-permissions");
        assertThat(rig.await("bypass permissions on"))
                .contains(project.toString())
                .doesNotContainIgnoringCase("log in")
                .doesNotContainIgnoringCase("trust")
                .doesNotContainIgnoringCase("theme");
        rig.tmux("send-keys", "mend it").run().ok();
        rig.await("mend it");
        rig.tmux("send-keys", "Enter").run().ok();
        rig.await(ModelServer.DONE);
        rig.assertTheTaskIsDone(project);
    }

    @Test
    void codexDoesATaskInPrintMode() throws IOException {
        Path project = rig.project("codex-print");
        rig.atTerminal(project, "run", "codex", "exec", "mend it");
        assertThat(rig.await("status 0.")).contains(ModelServer.DONE);
        rig.assertTheTaskIsDone(project);
    }

    @Test
    void agentsSaysWhatIsFoundHere() {
        String said = rig.sallyport().sallyport("agents").run().ok();
        assertThat(said.lines())
                .anyMatch(line -> line.matches("claude .*claude-code.* 2\\.1\\.197 .*anthropic .*"))
                .anyMatch(line -> line.matches("aider +not found .*"));
    }
}
