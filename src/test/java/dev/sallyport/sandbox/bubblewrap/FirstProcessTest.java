package dev.sallyport.sandbox.bubblewrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.Person;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What a bubblewrap that somebody has taken hold of could report (I1). That a true report is
/// believed, every sandbox shows.
class FirstProcessTest {
    private static final long OURS = ProcessHandle.current().pid();
    private static final int UID = Person.current().uid();

    private Process bystander;

    @BeforeEach
    void startBystander() throws IOException {
        bystander = new ProcessBuilder("sleep", "60").start();
    }

    @AfterEach
    void endBystander() {
        bystander.destroyForcibly();
    }

    private static InputStream report(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private InputStream reportOf(long pid) {
        return report("{\n    \"child-pid\": " + pid + "\n}\nready\n");
    }

    @Test
    void aProcessThatItDidNotMakeIsRefusedAndLivesOn() {
        assertThatThrownBy(() -> FirstProcess.of(reportOf(bystander.pid()), OURS + 1, UID))
                .hasMessageContaining("a process that it did not create");
        assertThat(bystander.isAlive()).isTrue();
    }

    @Test
    void aProcessOfAnotherAccountIsRefused() {
        assertThatThrownBy(() -> FirstProcess.of(reportOf(bystander.pid()), OURS, UID + 1))
                .hasMessageContaining("another account");
    }

    @Test
    void aProcessInOurOwnNamespacesIsRefused() {
        assertThatThrownBy(() -> FirstProcess.of(reportOf(bystander.pid()), OURS, UID))
                .hasMessageContaining("did not create a namespace");
    }

    @Test
    void aReportWithoutEndOrProcessIsRefused() {
        assertThatThrownBy(() -> FirstProcess.of(report("x".repeat(1 << 20)), OURS, UID))
                .hasMessageContaining("too much");
        assertThatThrownBy(() -> FirstProcess.of(report("{\"child-pid\": 1"), OURS, UID))
                .hasMessageContaining("ended before");
        assertThatThrownBy(() -> FirstProcess.of(report("ready\n"), OURS, UID))
                .hasMessageContaining("did not report");
    }
}
