package dev.sallyport.sandbox.bubblewrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Host programs that say too little, or nothing for too long.
class ToolTest {
    @Test
    void keepsWhatAProgramSaidAndHowItEnded() throws IOException {
        assertThat(Tool.run(List.of("sh", "-c", "echo said; exit 3")))
                .isEqualTo(new Tool(3, "said"));
    }

    /// The second one is a child that would keep the pipe open.
    @Test
    void aProgramThatHangsIsEndedWithAllThatItStarted() {
        for (String script : List.of("exec sleep 300", "sleep 300; true")) {
            assertThatThrownBy(
                            () ->
                                    Tool.run(
                                            List.of("sh", "-c", script),
                                            Guise.OWN,
                                            Duration.ofMillis(500)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("does not end");
        }
    }
}
