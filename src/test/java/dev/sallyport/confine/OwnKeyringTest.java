package dev.sallyport.confine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class OwnKeyringTest {
    /// Prints the number of its session keyring.
    private static ProcessBuilder asking() {
        boolean arm = System.getProperty("os.arch").equals("aarch64");
        int keyctl = arm ? Syscall.KEYCTL.onArm() : Syscall.KEYCTL.onX86();
        return new ProcessBuilder("perl", "-e", "print syscall(" + keyctl + ", 0, -3, 0), qq(\n)");
    }

    private static long answer(Process process) throws IOException {
        try (var out = process.inputReader()) {
            return Long.parseLong(out.readLine());
        }
    }

    @Test
    void whatIsStartedHasAKeyringOfItsOwn() throws IOException {
        long ours = answer(asking().start());
        assertThat(ours).as("positive control").isPositive();
        assertThat(answer(asking().start())).as("positive control").isEqualTo(ours);
        long first = answer(OwnKeyring.start(asking()));
        long second = answer(OwnKeyring.start(asking()));
        assertThat(first).isPositive().isNotEqualTo(ours).isNotEqualTo(second);
        assertThat(second).isPositive().isNotEqualTo(ours);
        assertThat(answer(asking().start())).as("and we keep ours").isEqualTo(ours);
    }

    @Test
    void aProgramThatIsNotThereIsSaidToBeMissing() {
        assertThatThrownBy(() -> OwnKeyring.start(new ProcessBuilder("/no/such/program")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/no/such/program");
    }
}
