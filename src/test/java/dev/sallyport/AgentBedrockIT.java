package dev.sallyport;

import dev.sallyport.fixture.Bedrock;
import dev.sallyport.fixture.StockAgents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// As [AgentLoginsIT], for people who pay for a model at AWS: the file of AWS's own program, stored
/// with one command. Each request has to be signed.
class AgentBedrockIT {
    private static AgentRig rig;

    @BeforeAll
    static void start() throws IOException {
        rig = AgentRig.withPresets(List.of("bedrock"), StockAgents.CLAUDE);
        Path file =
                Files.writeString(rig.person().resolve("credentials"), Bedrock.credentialsFile());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        rig.sallyport()
                .sallyport(
                        "secret",
                        "set",
                        "bedrock",
                        "--kind",
                        "aws",
                        "--host",
                        Bedrock.HOST,
                        "--file",
                        file.toString())
                .run()
                .ok();
        Files.delete(file);
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
}
