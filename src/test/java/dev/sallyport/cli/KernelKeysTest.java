package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Runs perl, which is part of every Debian, because no shell can make a system call by number.
class KernelKeysTest {
    private static final int NO_SUCH_CALL = 38;

    private static int firstCall() {
        return System.getProperty("os.arch").equals("aarch64") ? 217 : 248;
    }

    /// The number of the error, or 0.
    private static int call(int number) throws IOException, InterruptedException {
        String script = "$a = 'user'; print syscall(" + number + ", $a, $a, $a, -3) < 0 ? $!+0 : 0";
        Process process = KernelKeys.startWithout(new ProcessBuilder("perl", "-e", script));
        String said =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(process.waitFor()).isZero();
        return Integer.parseInt(said);
    }

    @Test
    void p8KeepsTheKernelFromAskingTheHostForAKey() throws IOException, InterruptedException {
        for (int i = 0; i < 3; i++) {
            assertThat(call(firstCall() + i)).isEqualTo(NO_SUCH_CALL);
        }
    }

    @Test
    void leavesTheCallsBesideThemAlone() throws IOException, InterruptedException {
        assertThat(call(firstCall() - 1)).isNotEqualTo(NO_SUCH_CALL);
        assertThat(call(firstCall() + 3)).isNotEqualTo(NO_SUCH_CALL);
    }
}
