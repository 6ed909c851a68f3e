package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Processes;
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
                        .contains("The disk is full: " + home, "Free some space")
                        .doesNotContain("\tat ", "Exception");
            } finally {
                Command.of("umount", "-l", home.toString()).run().ok();
            }
        }
    }

    /// It is taken away while the daemon runs, which can be ended and starts no more.
    @Test
    void aRecordThatIsGoneIsMissedUntilAPersonBeginsANewOne() throws IOException {
        try (Installation installation = Installation.bare(root.resolve("i")).onlyProcesses()) {
            String make = "new --name work --runtime bubblewrap --no-repo";
            installation.sallyport(make.split(" ", -1)).run().ok();
            assertThat(installation.sallyport("audit", "verify").run().ok())
                    .contains("the chain holds: ", "signed by key ");
            Path audit = installation.home().resolve("audit");
            Files.move(audit, root.resolve("evidence"));
            endWithoutARecord(installation, "down");

            Command.Result verify = installation.sallyport("audit", "verify").run();
            assertThat(verify.exit()).isEqualTo(1);
            assertThat(verify.all()).contains("BROKEN", "the log is gone; it had ");
            Command.Result refused = installation.sallyport("up").run();
            assertThat(refused.exit()).isEqualTo(ExitCode.UNAVAILABLE.status());
            assertThat(refused.all())
                    .contains("the session store counts ", "sallyport audit begin");

            installation.sallyport("audit", "begin").run().ok();
            installation.sallyport("start", "work").run().ok();
            assertThat(installation.sallyport("audit", "verify").run().ok()).contains("holds");
            assertThat(installation.sallyport("audit", "show").run().ok())
                    .startsWith("1 ")
                    .contains("audit.begun");
            Command.Result again = installation.sallyport("audit", "begin").run();
            assertThat(again.all()).contains("The audit log in");

            Files.delete(audit.resolve("audit.jsonl"));
            endWithoutARecord(installation, "down", "--keep-sandboxes");

            Files.move(audit, root.resolve("more"));
            installation.sallyport("audit", "begin").run().ok();
            installation.sallyport("destroy", "work").run().ok();
        }
    }

    private static void endWithoutARecord(Installation installation, String... down)
            throws IOException {
        String shown = installation.sallyport("show", "work", "--json").run().ok();
        long sandbox = new ObjectMapper().readTree(shown).at("/identity/pid").asLong();
        Command.Result stop = installation.sallyport("stop", "work").run();
        assertThat(stop.exit()).isEqualTo(ExitCode.UNAVAILABLE.status());
        assertThat(stop.err())
                .contains(
                        "audit.jsonl was removed by someone", "restart the daemon: sallyport down");
        assertThat(Processes.hasEnded(sandbox)).isFalse();

        Command.Result ended = installation.sallyport(down).run();
        assertThat(ended.exit()).as(ended.all()).isZero();
        assertThat(ended.out()).isEqualTo("stopped\n");
        assertThat(ended.err()).contains("audit.jsonl was removed by someone");
        assertThat(installation.sallyport("down").run().out()).isEqualTo("not running\n");
        assertThat(Processes.hasEnded(sandbox)).isEqualTo(down.length == 1);
    }

    @Test
    void statusAndDoctorNameAFullDiskForAsLongAsItIsFull() throws Exception {
        try (Installation installation = Installation.bare(root.resolve("i")).onlyProcesses()) {
            Path home = installation.home();
            Command.of("mount", "-t", "tmpfs", "-o", "size=24m,mode=0700", "none", home.toString())
                    .run()
                    .ok();
            try {
                installation.sallyport("up").run().ok();
                Path ballast = Files.write(home.resolve("ballast"), new byte[21 << 20]);
                String needed = "needs 3 MiB free in " + home.resolve("audit");
                Await.until(() -> installation.sallyport("status").run().out().contains(needed));
                assertThat(installation.sallyport("doctor").run().out())
                        .contains(needed)
                        .doesNotContain("\tat ", "Exception");

                Files.delete(ballast);
                Await.until(() -> !installation.sallyport("status").run().out().contains("full"));
            } finally {
                installation.sallyport("down").run();
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
