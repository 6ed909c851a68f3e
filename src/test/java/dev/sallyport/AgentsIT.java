package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.StockAgents;
import java.io.IOException;
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
        rig.print("claude", "--dangerously-skip-permissions", "-p", "mend it");
    }

    @Test
    void claudeAsksNothingInItsTerminalInterface() throws IOException {
        rig.converse("bypass permissions on", "claude", "--dangerously-skip-permissions");
    }

    @Test
    void codexDoesATaskInPrintMode() throws IOException {
        rig.print("codex", "exec", "mend it");
    }

    @Test
    void codexAsksNothingInItsTerminalInterface() throws IOException {
        rig.converse("OpenAI Codex", "codex", "--dangerously-bypass-approvals-and-sandbox");
    }

    @Test
    void agentsSaysWhatIsFoundHere() {
        String said = rig.sallyport().sallyport("agents").run().ok();
        assertThat(said.lines())
                .anyMatch(line -> line.matches("claude .*claude-code.* 2\\.1\\.197 .*anthropic .*"))
                .anyMatch(line -> line.matches("aider +not found .*"));
    }
}
