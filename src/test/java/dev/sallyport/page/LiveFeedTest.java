package dev.sallyport.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.AuditLog;
import dev.sallyport.audit.AuditReader;
import dev.sallyport.fixture.AuditLogs;
import dev.sallyport.fixture.Await;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    /// More lines than anybody reads: each denial is sent, and the newest of the others.
    @Test
    void aFloodHidesNoDenial() throws IOException {
        Path file = directory.resolve("audit.jsonl");
        try (AuditLog log = AuditLogs.open(file)) {
            log.append(new AuditEvent("egress.request", "s", "allow", Map.of("path", "/before")));
            log.append(new AuditEvent("egress.request", "s", "deny", Map.of("path", "/denied")));
            for (int i = 0; i < 2 * LiveFeed.ALLOWED_AT_ONCE_MAX; i++) {
                log.append(new AuditEvent("egress.request", "s", "allow", Map.of("path", "/" + i)));
            }
        }
        List<AuditLine> lines = new ArrayList<>();
        AuditReader.read(file, AuditFilter.ALL, lines::add);

        assertThat(LiveFeed.due(lines, 0)).as("whoever has just come").isEqualTo(lines);
        List<String> sent =
                LiveFeed.due(lines, 1).stream()
                        .map(line -> line.event().detail().getOrDefault("path", ""))
                        .toList();
        assertThat(sent).hasSize(1 + LiveFeed.ALLOWED_AT_ONCE_MAX).first().isEqualTo("/denied");
        assertThat(sent).last().isEqualTo("/" + (2 * LiveFeed.ALLOWED_AT_ONCE_MAX - 1));
    }
}
