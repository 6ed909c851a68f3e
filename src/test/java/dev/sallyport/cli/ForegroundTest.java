package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Signals that come while a command is being started.
class ForegroundTest {
    @Test
    void aSignalThatComesBeforeTheProcessReachesIt() throws Exception {
        Process process = new ProcessBuilder("sleep", "300").start();
        try {
            Foreground foreground = new Foreground(false);
            foreground.receive("TERM");
            foreground.started(process);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(128 + 15);
        } finally {
            process.destroyForcibly();
        }
    }
}
