package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

final class CleanLogTest {
    private final CleanLog log = new CleanLog(text -> text.contains("held-by-us"));

    private static LogRecord said(String message, String cause) {
        LogRecord said = new LogRecord(Level.WARNING, message);
        said.setLoggerName("git");
        said.setThrown(new IOException("outer", new IOException(cause)));
        return said;
    }

    @Test
    void messagesOfCausesAreCleanToo() {
        String text =
                log.format(said("a push failed", "ERR ghp_16C7e42F292c6912E7710c838347Ae178B4a"));
        assertThat(text).contains("a push failed", "ERR [redacted]").doesNotContain("ghp_");
    }

    @Test
    void nothingOfAMessageWithAKnownSecretIsLeft() {
        assertThat(log.format(said("a push failed", "held-by-us")))
                .contains("git: [redacted]")
                .doesNotContain("push", "held");
    }
}
