package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// The line that says what takes long, with a clock that the test sets.
class WaitingTest {
    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

    private Waiting waiting(String what) {
        PrintStream out = new PrintStream(screen, true, StandardCharsets.UTF_8);
        return new Waiting(out, Ink.of(false, Map.of()), what, nanos::get);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private String drawn() {
        String drawn = screen.toString(StandardCharsets.UTF_8);
        screen.reset();
        return drawn;
    }

    @Test
    void whatIsOverSoonShowsNothing() {
        try (Waiting waiting = waiting("stopping work")) {
            pass(Waiting.QUIET.minusNanos(1));
            waiting.look();
        }
        assertThat(drawn()).isEmpty();
    }

    @Test
    void saysWhatHowFarAndForHowLongAndIsGoneAtTheEnd() {
        try (Waiting waiting = waiting("stopping the daemon")) {
            waiting.at("12 sandboxes are left");
            pass(Waiting.QUIET);
            waiting.look();
            assertThat(drawn()).isEqualTo("\r· stopping the daemon: 12 sandboxes are left (1 s)");
            waiting.at("");
            pass(Duration.ofSeconds(64));
            waiting.look();
            assertThat(drawn()).startsWith("\r· stopping the daemon (1 min 5 s)  ");
        }
        assertThat(drawn()).matches("\r +\r");
    }

    @Test
    void nothingIsDrawnAfterItsEnd() {
        Waiting waiting = waiting("stopping work");
        pass(Duration.ofSeconds(3));
        waiting.close();
        waiting.look();
        assertThat(drawn()).isEmpty();
    }

    /// What is polled may have come from anywhere.
    @Test
    void e19NothingThatIsShownSteersTheTerminal() {
        try (Waiting waiting = waiting("removing \u001b[2Jx")) {
            waiting.asking(() -> "\u001b]0;evil\u0007\r\n\u202e");
            pass(Duration.ofSeconds(2));
            waiting.look();
            assertThat(drawn().substring(1))
                    .contains("\\u001b[2Jx", "\\u001b]0;evil\\u0007\\u000d\\u000a\\u202e")
                    .doesNotContain("\u001b", "\u0007", "\r", "\n", "\u202e");
        }
    }

    @Test
    void aLineFitsTheTerminalAndKeepsItsTime() {
        try (Waiting waiting = waiting("cloning " + "x".repeat(200))) {
            pass(Duration.ofSeconds(9));
            waiting.look();
            assertThat(drawn()).hasSize(79).endsWith("… (9 s)");
        }
    }

    @Test
    void whoeverCannotSayHowFarItIsIsNotShown() {
        try (Waiting waiting = waiting("cloning app")) {
            waiting.asking(
                    () -> {
                        throw new IOException("the daemon does not answer");
                    });
            pass(Duration.ofSeconds(2));
            waiting.look();
            assertThat(drawn()).isEqualTo("\r· cloning app (2 s)");
        }
    }

    @Test
    void somethingElseIsPrintedInItsPlace() {
        try (Waiting waiting = waiting("removing")) {
            pass(Duration.ofSeconds(2));
            waiting.look();
            drawn();
            waiting.beside(() -> new PrintStream(screen, true).print("a notice\n"));
            assertThat(drawn()).matches("\r +\ra notice\n");
        }
    }
}
