package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.AuditLimits;
import dev.sallyport.fixture.AuditLogs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditTailTest {
    private static final AuditEvent EVENT =
            new AuditEvent("egress.connect", "s", "deny", Map.of("host", "x.example"));

    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void place() {
        file = directory.resolve("audit.jsonl");
    }

    private static List<Long> seqs(AuditTail tail) throws IOException {
        return tail.next().stream().map(AuditLine::seq).toList();
    }

    @Test
    void tellsOnlyWhatComesLaterAndEachLineOnce() throws IOException {
        try (AuditLog log = AuditLogs.open(file)) {
            log.append(EVENT);
            log.append(EVENT);
            AuditTail tail = new AuditTail(file);
            assertThat(seqs(tail)).isEmpty();
            log.append(EVENT);
            assertThat(seqs(tail)).containsExactly(3L);
            assertThat(seqs(tail)).isEmpty();
        }
    }

    @Test
    void waitsForALogThatDoesNotExistYetAndForTheEndOfALine() throws IOException {
        AuditTail tail = new AuditTail(file);
        assertThat(seqs(tail)).isEmpty();
        try (AuditLog log = AuditLogs.open(file)) {
            log.append(EVENT);
            log.append(EVENT);
        }
        byte[] whole = Files.readAllBytes(file);
        byte[] half = new byte[whole.length - 20];
        System.arraycopy(whole, 0, half, 0, half.length);
        Files.write(file, half, StandardOpenOption.TRUNCATE_EXISTING);
        assertThat(seqs(tail)).containsExactly(1L);
        Files.write(
                file,
                new String(whole, half.length, 20, StandardCharsets.US_ASCII)
                        .getBytes(StandardCharsets.US_ASCII),
                StandardOpenOption.APPEND);
        assertThat(seqs(tail)).containsExactly(2L);
    }

    @Test
    void followsFromOneFileToTheNextWithoutLosingALine() throws IOException {
        AuditTerms small =
                AuditLogs.terms(file, new AuditLimits(16_000, 400), new AuditLogs.Marks());
        try (AuditLog log = AuditLog.open(file, small)) {
            log.append(EVENT);
            AuditTail tail = new AuditTail(file);
            for (int i = 0; i < 10; i++) {
                log.append(EVENT);
            }
            assertThat(new AuditFiles(file).rotated()).hasSizeGreaterThan(1);
            assertThat(seqs(tail)).containsExactly(2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L);
        }
    }
}
