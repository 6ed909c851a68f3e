package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/// I3: a number that was a sandbox's first process and is something else by now. That the processes
/// of a true one are found, `VerifyIT` shows.
class InmatesTest {
    @Test
    void aProcessInOurOwnNamespacesIsNobodysSandbox() throws IOException {
        Process host = new ProcessBuilder("sleep", "60").start();
        try {
            Identity reused = ProcessIdentity.of(host.pid()).orElseThrow().named("reused");
            assertThatThrownBy(() -> Inmates.of(reused))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot be inspected");
        } finally {
            host.destroyForcibly();
        }
    }
}
