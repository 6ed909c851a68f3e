package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/// Host programs that end, and some that do not.
class HostProgramTest {
    @Test
    void keepsWhatAProgramSaidAndHowItEnded() throws IOException {
        assertThat(HostProgram.run(List.of("sh", "-c", "echo said; exit 3")))
                .isEqualTo(new HostProgram(3, "said"));
    }

    /// In the second one a child would keep the pipe open.
    @Test
    void aProgramThatHangsIsEndedWithAllThatItStarted() {
        for (String script : List.of("exec sleep 300", "sleep 300; true")) {
            List<String> command = List.of("sh", "-c", script);
            Assertions.assertTimeoutPreemptively(
                    Duration.ofSeconds(60),
                    () ->
                            assertThatThrownBy(
                                            () ->
                                                    HostProgram.run(
                                                            HostProgram.builder(command),
                                                            ProcessBuilder::start,
                                                            Duration.ofMillis(500)))
                                    .isInstanceOf(IOException.class)
                                    .hasMessageContaining("does not end"));
        }
    }
}
