package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Command;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceMountTest {
    @TempDir Path directory;

    private interface Check {
        void with(long pid) throws SandboxException;
    }

    /// Mounts `source` at `point` in a namespace of its own, as bubblewrap would.
    private static void mounted(Path source, Path point, Check check) throws Exception {
        Process process =
                Command.of(
                                "unshare",
                                "--user",
                                "--map-root-user",
                                "--mount",
                                "sh",
                                "-c",
                                "mount --bind \"$0\" \"$1\" && echo ready && exec sleep 60",
                                source.toString(),
                                point.toString())
                        .start();
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            if (!"ready".equals(said.readLine())) {
                throw new IOException("not mounted");
            }
            check.with(process.pid());
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void acceptsTheDirectoryOfThatName() throws Exception {
        Path workspace = Files.createDirectory(directory.resolve("a # b \u00e9"));
        mounted(
                workspace,
                workspace,
                pid ->
                        assertThatCode(() -> WorkspaceMount.require(pid, workspace))
                                .doesNotThrowAnyException());
    }

    @Test
    void i10RefusesAnotherDirectoryInItsPlace() throws Exception {
        Path workspace = Files.createDirectory(directory.resolve("workspace"));
        Path keys = Files.createDirectory(directory.resolve("keys"));
        mounted(
                keys,
                workspace,
                pid ->
                        assertThatThrownBy(() -> WorkspaceMount.require(pid, workspace))
                                .hasMessageContaining("was replaced"));
    }

    @Test
    void refusesASandboxWithoutTheMount() {
        long self = ProcessHandle.current().pid();
        assertThatThrownBy(() -> WorkspaceMount.require(self, directory))
                .isInstanceOf(SandboxException.class);
    }
}
