package dev.sallyport.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditLog;
import dev.sallyport.fixture.AuditLogs;
import dev.sallyport.fixture.Await;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The one reader of the record for all who look.
class LiveFeedTest {
    @TempDir Path directory;

    private static boolean broken() {
        throw new IllegalStateException("broken");
    }

    @Test
    void aFeedThatBreaksSaysSo() throws IOException {
        Path file = directory.resolve("audit.jsonl");
        try (AuditLog log = AuditLogs.open(file);
                LiveFeed feed = new LiveFeed(file)) {
            log.append(new AuditEvent("warden.start", "", "", Map.of()));
            Await.until("it is read", () -> feed.lately().complete());
            assertThat(feed.lately().trouble()).isEmpty();
            feed.add(new EventStream(new EmbeddedChannel(), LiveFeedTest::broken));

            Await.until("it tells", () -> feed.lately().trouble().contains("broken"));
        }
    }
}
