package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AuditLimits;
import dev.sallyport.fixture.AuditLogs;
import dev.sallyport.fixture.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Against whoever can write to everything that the record consists of: files, key and store.
final class WitnessTest {
    private static final Duration SOON = Duration.ofMillis(20);

    @TempDir Path root;

    private Path file;
    private Path heads;

    @BeforeEach
    void place() throws IOException {
        Path directory = Files.createDirectory(root.resolve("audit"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        file = directory.resolve("audit.jsonl");
        heads = root.resolve("heads");
    }

    private AuditLog open() throws IOException {
        return AuditLog.open(
                file,
                new AuditTerms(
                        AuditLimits.standard(),
                        AuditKey.open(root.resolve("test.key")),
                        new AuditLogs.Marks(),
                        new FileWitness(heads)));
    }

    /// A log of so many lines whose witness has been told of all of them.
    private void write(int lines) throws IOException {
        try (AuditLog log = open()) {
            for (int i = 0; i < lines; i++) {
                log.append(new AuditEvent("git.request", "a1", "deny", Map.of("path", "/" + i)));
            }
        }
    }

    private AuditVerifier.Result verify() throws IOException {
        return AuditVerifier.verify(
                file,
                Optional.empty(),
                List.of(WitnessedHeads.read(heads)),
                AuditVerifier.Watch.NONE);
    }

    /// As somebody would who has everything: a new log under the same key.
    private void forge(int lines) throws IOException {
        try (var all = Files.list(file.getParent())) {
            for (Path one : all.toList()) {
                Files.delete(one);
            }
        }
        try (AuditLog log =
                AuditLog.open(
                        file,
                        new AuditTerms(
                                AuditLimits.standard(),
                                AuditKey.open(root.resolve("test.key")),
                                new AuditLogs.Marks(),
                                Witness.NONE))) {
            for (int i = 0; i < lines; i++) {
                log.append(new AuditEvent("git.request", "a1", "allow", Map.of("path", "/" + i)));
            }
        }
    }

    @Test
    void aLogThatGrewSinceItWasSeenHolds() throws IOException {
        write(3);
        write(2);
        assertThat(verify().broken()).isEmpty();
        assertThat(WitnessedHeads.read(heads).heads()).containsKey(5L);
    }

    @Test
    void aLogThatWasRewrittenAsAWholeWithItsKeyDoesNot() throws IOException {
        write(5);
        forge(9);
        assertThat(AuditVerifier.verify(file, Optional.empty()).holds())
                .as("nothing else shows it")
                .isTrue();
        assertThat(verify().broken().orElseThrow().reason())
                .isEqualTo("it is not the line that the witness has seen");
        assertThat(verify().broken().orElseThrow().line()).isEqualTo(5);
    }

    @Test
    void aLogThatWasCutShortDoesNot() throws IOException {
        write(5);
        forge(3);
        assertThat(verify().broken().orElseThrow().reason())
                .isEqualTo("lines up to 5 were removed from the end");
        forge(0);
        assertThat(verify().broken().orElseThrow().reason()).contains("had 5 lines");
    }

    @Test
    void aLogUnderAnotherKeyDoesNot() throws IOException {
        write(2);
        Files.delete(root.resolve("test.key"));
        forge(0);
        assertThat(verify().holds()).isFalse();
    }

    @Test
    void aLogThatWentOnFromAnEarlierStateDoesNot() throws IOException {
        write(5);
        forge(1);
        write(2);
        assertThatThrownBy(this::verify)
                .hasMessageContaining("was told after a longer log: the log was put back");
    }

    @Test
    void headsThatNobodySignedAreNone() throws IOException {
        write(1);
        String line = Files.readString(heads);
        Files.writeString(heads, line.replace("0000001 ", "0000002 "));
        assertThatThrownBy(this::verify).hasMessageContaining("line 1 is not a signed head");
    }

    @Test
    void aWitnessThatCannotBeReachedIsNotedOnceTriedAgainAndStopsNothing() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        List<AuditEvent> noted = new CopyOnWriteArrayList<>();
        AtomicBoolean reachable = new AtomicBoolean();
        AtomicInteger tries = new AtomicInteger();
        try (WitnessDesk desk =
                new WitnessDesk(
                        head -> {
                            tries.incrementAndGet();
                            if (!reachable.get()) {
                                throw new IOException("no such disk");
                            }
                            told.add(head);
                        },
                        SOON,
                        event -> {
                            noted.add(event);
                            return 0;
                        })) {
            desk.tell("one");
            desk.tell("two");
            Await.until(() -> tries.get() > 2);
            assertThat(noted)
                    .containsExactly(
                            AuditEvent.ofSystem("audit.witness-failed", "reason", "no such disk"));
            desk.tell("three");
            reachable.set(true);
            Await.until(() -> !told.isEmpty());
            assertThat(told).containsExactly("three");
            Await.until(() -> noted.size() == 2);
            assertThat(noted.getLast().kind()).isEqualTo("audit.witness-back");
            desk.tell("four");
        }
        assertThat(told).as("the last one is told at the end").endsWith("four");
    }

    @Test
    void theRecordGoesOnWhileTheWitnessIsGone() throws IOException {
        heads = root.resolve("not-mounted/heads");
        write(3);
        assertThat(AuditVerifier.verify(file, Optional.empty()).holds()).isTrue();
        assertThat(Files.readString(file)).contains("\"/2\"");
        assertThat(heads).doesNotExist();
    }
}
