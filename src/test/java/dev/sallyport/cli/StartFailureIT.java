package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a person reads when the daemons cannot start: one sentence and what to do.
class StartFailureIT {
    @TempDir Path root;

    @Test
    void aStoreThatCannotBeReadIsNamedWithoutAStackTrace() throws IOException {
        try (Installation installation = Installation.bare(root.resolve("i")).onlyProcesses()) {
            Path store = Files.writeString(installation.home().resolve("state.db"), "no database");
            Command.of("chmod", "600", store.toString()).run().ok();

            Command.Result result = installation.sallyport("list").run();

            assertThat(result.exit()).isEqualTo(ExitCode.UNAVAILABLE.status());
            assertThat(result.err())
                    .contains("The daemon does not start. The session store " + store)
                    .contains("move it aside")
                    .contains("run/warden.log")
                    .doesNotContain("\tat ", "Exception");
            assertThat(installation.home().resolve("run/warden.log"))
                    .content()
                    .as("positive control")
                    .contains("\tat dev.sallyport");
            Files.delete(store);
        }
    }

    @Test
    void aFullDiskIsCalledThat() throws IOException {
        try (Installation installation = Installation.bare(root.resolve("i")).onlyProcesses()) {
            Path home = installation.home();
            Command.of("mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "none", home.toString())
                    .run()
                    .ok();
            try {
                fill(home.resolve("ballast"));
                Command.Result result = installation.sallyport("list").run();
                assertThat(result.exit()).isEqualTo(ExitCode.UNAVAILABLE.status());
                assertThat(result.err())
                        .contains("The disk is full", "Free some space")
                        .doesNotContain("\tat ", "Exception");
            } finally {
                Command.of("umount", "-l", home.toString()).run().ok();
            }
        }
    }

    private static void fill(Path ballast) throws IOException {
        try (OutputStream out = Files.newOutputStream(ballast)) {
            for (int i = 0; i < 4_096; i++) {
                out.write(new byte[1_024]);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space");
        }
    }
}
