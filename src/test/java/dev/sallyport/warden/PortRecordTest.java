package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.Message;
import dev.sallyport.control.Api;
import dev.sallyport.session.PublishedPort;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a sidecar can have written down.
class PortRecordTest {
    @TempDir Path temporary;

    private final AtomicLong nanos = new AtomicLong();
    private WardenParts parts;
    private Session session;
    private PortRecord record;

    @BeforeEach
    void open() throws Exception {
        parts = new WardenParts(temporary);
        session = parts.create("app", Api.LifeRequest.STANDARD);
        record = new PortRecord(session.id(), parts.link, parts.ledger, nanos::get);
        publish("8080:3000");
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    private Message.PortUsed used(String of, int hostPort, long bytesIn) {
        return new Message.PortUsed(of, hostPort, 3_000, 1, bytesIn, 7);
    }

    private Message.PortUsed used() {
        return used(session.id().value(), 8_080, 5);
    }

    private long lines() throws IOException {
        try (var all = Files.lines(parts.home.auditLog())) {
            return all.filter(line -> line.contains("port.used")).count();
        }
    }

    @Test
    void theUseOfAPortIsInTheRecordWithItsSandbox() throws Exception {
        assertThat(record.write(used())).isTrue();

        assertThat(Files.readString(parts.home.auditLog()))
                .containsPattern("port.used.*" + session.id().value())
                .contains(
                        "\"bytes-in\":\"5\"", "\"host-port\":\"8080\"", "\"inside-port\":\"3000\"");
        assertThat(lines()).isEqualTo(1);
    }

    @Test
    void whatCannotBeTrueIsNotWritten() throws Exception {
        assertThat(record.write(used("00000000000000bb", 8_080, 5))).isFalse();
        assertThat(record.write(used(session.id().value(), 0, 5))).isFalse();
        assertThat(record.write(used(session.id().value(), 65_536, 5))).isFalse();
        assertThat(record.write(used(session.id().value(), 8_080, -1))).isFalse();
        assertThat(lines()).isZero();
        assertThat(record.write(used())).as("control").isTrue();
        assertThat(lines()).isEqualTo(1);
    }

    @Test
    void aSidecarCannotFillTheLog() throws Exception {
        int written = 0;
        while (record.write(used())) {
            written++;
            assertThat(written).isLessThan(10_000);
        }
        assertThat(lines()).isEqualTo(written);

        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(record.write(used())).isFalse();
        assertThat(lines()).isEqualTo(written);
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(record.write(used())).as("control: a minute later").isTrue();
        assertThat(lines()).isEqualTo(written + 1);
    }

    /// One for each socket, which is what an honest one has left to say.
    @Test
    void whatPassedLastIsWrittenWhenTheSandboxHasEnded() throws Exception {
        publish("8080:3000", "127.0.0.1:8081:3000");
        parts.sandboxes.stop("app");

        for (int i = 0; i < 10; i++) {
            assertThat(record.write(used())).isTrue();
        }

        assertThat(lines()).isEqualTo(3);
        assertThat(Files.readString(parts.home.auditLog()))
                .containsPattern("port.used.*" + session.id().value());
    }

    @Test
    void whatIsSaidOfOtherPortsIsLeftOut() throws Exception {
        String id = session.id().value();

        assertThat(record.write(used(id, 8_081, 5))).isTrue();
        assertThat(record.write(new Message.PortUsed(id, 8_080, 3_001, 1, 5, 7))).isTrue();
        assertThat(record.write(new Message.PortUsed(id, 3_000, 8_080, 1, 5, 7))).isTrue();

        assertThat(lines()).isZero();
        assertThat(record.write(used())).as("control").isTrue();
        assertThat(lines()).isEqualTo(1);
    }

    /// It is told of when it goes, and this comes a moment later.
    @Test
    void whatPassedThroughAPortThatWasRemovedJustNowIsWritten() throws Exception {
        publish();

        assertThat(record.write(used())).isTrue();

        assertThat(lines()).isEqualTo(1);
    }

    /// As the warden knows it; nothing is opened.
    private void publish(String... ports) throws Exception {
        List<PublishedPort> published = new ArrayList<>();
        for (String port : ports) {
            published.add(PublishedPort.parse(port));
        }
        parts.link.change(session.publishing(published));
    }

    @Test
    void nothingIsWrittenOfASandboxThatHadNoPorts() throws Exception {
        Session other = parts.create("other", Api.LifeRequest.STANDARD);
        PortRecord none = new PortRecord(other.id(), parts.link, parts.ledger, nanos::get);
        parts.sandboxes.stop("other");

        assertThat(none.write(used(other.id().value(), 8_080, 5))).isTrue();

        assertThat(lines()).isZero();
    }
}
