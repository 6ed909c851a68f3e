package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.StockAgents;
import dev.sallyport.fixture.Subscriptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// As [AgentsIT], for people with a subscription: the agent's own login, stored with one command,
/// whose access token has expired by then.
class AgentLoginsIT {
    private static AgentRig rig;

    @BeforeAll
    static void start() throws IOException {
        rig = AgentRig.withLogins(StockAgents.CLAUDE, StockAgents.CODEX, StockAgents.GEMINI);
        store("chatgpt", ".codex/auth.json", Subscriptions.codexFile());
        store("google-login", ".gemini/oauth_creds.json", Subscriptions.geminiFile());
        String key = rig.model().subscriptions().serviceAccountFile();
        store("vertex", "key.json", key, "--host", "aiplatform.googleapis.com");
    }

    private static void store(String secret, String file, String document, String... more)
            throws IOException {
        Path path = rig.person().resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, document);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        List<String> arguments = new ArrayList<>(List.of("secret", "set", secret));
        arguments.addAll(List.of("--kind", "oauth", "--file", path.toString()));
        arguments.addAll(List.of(more));
        rig.sallyport().sallyport(arguments.toArray(String[]::new)).run().ok();
        Files.delete(path);
    }

    @AfterAll
    static void stop() {
        rig.close();
    }

    @AfterEach
    void clear() {
        rig.clear();
    }

    private static void assertRenewedOnce(String host) {
        assertThat(rig.model().subscriptions().times(host)).isEqualTo(1);
        assertThat(rig.model().subscriptions().refused()).isEmpty();
    }

    @Test
    void codexDoesATaskInPrintMode() throws IOException {
        rig.print("codex", "exec", "mend it");
        assertRenewedOnce("chatgpt.com");
    }

    @Test
    void codexAsksNothingInItsTerminalInterface() throws IOException {
        rig.converse("OpenAI Codex", "codex", "--dangerously-bypass-approvals-and-sandbox");
        assertRenewedOnce("chatgpt.com");
    }

    /// With a cloud's key, which the gateway signs with.
    @Test
    void claudeDoesATaskOnVertex() throws IOException {
        String project = "ANTHROPIC_VERTEX_PROJECT_ID=project";
        rig.print("--env", project, "claude", "--dangerously-skip-permissions", "-p", "mend it");
        assertRenewedOnce("aiplatform.googleapis.com");
    }

    @Test
    void geminiDoesATaskInPrintMode() throws IOException {
        rig.print("gemini", "--yolo", "-p", "mend it");
        assertRenewedOnce("cloudcode-pa.googleapis.com");
    }

    @Test
    void geminiAsksNothingInItsTerminalInterface() throws IOException {
        rig.converse("Type your message", "gemini", "--yolo");
        assertRenewedOnce("cloudcode-pa.googleapis.com");
    }
}
