package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.AuditLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The events of one moment share a write, and are all in the log or none of them.
class AuditBatchTest {
    @TempDir Path directory;

    private static List<AuditEvent> events(int count) {
        List<AuditEvent> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Map<String, String> detail =
                    Map.of("id", "%016x".formatted(i), "path", "/\"\\\u202e\u00e9\n" + i);
            events.add(new AuditEvent("egress.request", "0123456789abcdef", "allow", detail));
        }
        return events;
    }

    /// As the kernel counts them.
    private static long writesOfThisThread() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/thread-self/io"))) {
            if (line.startsWith("syscw: ")) {
                return Long.parseLong(line.substring("syscw: ".length()));
            }
        }
        throw new IOException("the kernel does not count writes");
    }

    @Test
    void aBatchIsOneWriteAndOneChain() throws IOException {
        Path file = directory.resolve("audit.jsonl");
        try (AuditLog log = AuditLogs.open(file)) {
            List<AuditEvent> batch = events(64);
            long before = writesOfThisThread();
            assertThat(log.append(batch)).isEqualTo(64);
            assertThat(writesOfThisThread() - before).isEqualTo(1);
            log.append(events(1).getFirst());
        }
        List<AuditLine> lines = new ArrayList<>();
        AuditReader.read(file, AuditFilter.ALL, lines::add);
        assertThat(lines.subList(0, 64)).extracting(AuditLine::event).isEqualTo(events(64));
        assertThat(AuditVerifier.verify(file, Optional.empty()).lines()).isEqualTo(65);
        assertThat(AuditVerifier.verify(file, Optional.empty()).holds()).isTrue();
    }

    @Test
    void noLineOfABatchIsThereWhenItCannotBeWritten() throws IOException {
        Path file = directory.resolve("audit.jsonl");
        try (AuditLog log = AuditLogs.open(file)) {
            log.append(events(3));
            byte[] before = Files.readAllBytes(file);
            Files.write(file, new byte[] {'x'}, StandardOpenOption.APPEND);
            assertThatThrownBy(() -> log.append(events(64))).isInstanceOf(IOException.class);
            assertThat(Files.size(file)).isEqualTo(before.length + 1L);
            Files.write(file, before);
            assertThat(log.append(events(2))).isEqualTo(5);
        }
        assertThat(AuditVerifier.verify(file, Optional.empty()).holds()).isTrue();
    }
}
