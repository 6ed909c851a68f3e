package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OwnProgramTest {
    private static final String[] WITHOUT_TRACES = {
        "-XX:-HeapDumpOnOutOfMemoryError",
        "-XX:-CreateCoredumpOnCrash",
        "-XX:ErrorFile=/dev/null",
        "-XX:+DisableAttachMechanism"
    };

    @ParameterizedTest
    @EnumSource(OwnProgram.Role.class)
    void noProcessOfOursWritesItsMemoryToDisk(OwnProgram.Role role) {
        assertThat(OwnProgram.command(role, "internal-warden")).contains(WITHOUT_TRACES);
    }

    /// It starts the command that reads a secret.
    @Test
    void norDoesTheOneThatTheLauncherStarts() throws IOException {
        assertThat(Files.readString(Path.of("sallyport")))
                .contains(WITHOUT_TRACES)
                .contains("\nulimit -c 0\n");
    }
}
