package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AuditLimits;
import dev.sallyport.config.DiskFullException;
import dev.sallyport.fixture.AuditLogs;
import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The record is bounded, what is left of it proves itself, and nobody else can shorten it.
class AuditRetentionTest {
    private static final AuditEvent EVENT =
            new AuditEvent("git.request", "0123456789abcdef", "allow", Map.of("repo", "a/b/c"));
    private static final AuditLimits SMALL = new AuditLimits(32_000, 400);

    @TempDir Path directory;
    private final AuditLogs.Marks marks = new AuditLogs.Marks();
    private Path file = Path.of("unset");
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @BeforeEach
    void place() {
        file = directory.resolve("audit.jsonl");
    }

    private AuditLog open(AuditLimits limits) throws IOException {
        InstantSource source = () -> now;
        Clock clock = source.withZone(ZoneOffset.UTC);
        return AuditLog.open(file, AuditLogs.terms(file, limits, marks), clock);
    }

    private void write(int lines) throws IOException {
        try (AuditLog log = open(SMALL)) {
            for (int i = 0; i < lines; i++) {
                log.append(EVENT);
            }
            log.retain();
        }
    }

    private AuditVerifier.Result verify() throws IOException {
        return AuditVerifier.verify(file, marks.auditMark());
    }

    private String reason() throws IOException {
        return verify().broken().orElseThrow().reason();
    }

    private List<AuditLine> read() throws IOException {
        List<AuditLine> lines = new ArrayList<>();
        AuditReader.read(file, AuditFilter.ALL, lines::add);
        return lines;
    }

    private long bytes() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(path -> path.toString().endsWith(".jsonl"))
                    .mapToLong(path -> path.toFile().length())
                    .sum();
        }
    }

    @Test
    void removesTheOldestFilesAndProvesWhatIsLeft() throws IOException {
        for (int run = 0; run < 4; run++) {
            write(100);
            assertThat(bytes()).isLessThan(34_000);
            assertThat(verify().broken()).isEmpty();
        }
        AuditVerifier.Result result = verify();
        assertThat(result.firstSeq()).isGreaterThan(250);
        assertThat(read().getFirst().seq()).isEqualTo(result.firstSeq());
        AuditEvent removed =
                read().stream()
                        .map(AuditLine::event)
                        .filter(event -> event.kind().equals("audit.removed"))
                        .toList()
                        .getLast();
        assertThat(removed.detail())
                .containsEntry("to", Long.toString(result.firstSeq() - 1))
                .containsEntry("hash", read().getFirst().prev())
                .containsKeys("from", "files");
    }

    @Test
    void removesWhatIsTooOldAlsoFromTheFileThatIsWritten() throws IOException {
        AuditLimits limits = new AuditLimits(1 << 30, 30);
        try (AuditLog log = open(limits)) {
            log.append(EVENT);
            now = now.plus(Duration.ofDays(20));
            log.append(EVENT);
            log.retain();
            assertThat(read()).hasSize(2);
            now = now.plus(Duration.ofDays(11));
            log.retain();
            assertThat(read()).extracting(AuditLine::seq).containsExactly(2L, 3L);
            now = now.plus(Duration.ofDays(40));
            log.retain();
        }
        assertThat(read()).extracting(AuditLine::seq).containsExactly(4L);
        assertThat(read().getFirst().event().kind()).isEqualTo("audit.removed");
        assertThat(verify().broken()).isEmpty();
    }

    @Test
    void aCrashBeforeTheFilesAreGoneDoesNoHarm() throws IOException {
        write(60);
        Path oldest = new AuditFiles(file).rotated().getFirst();
        byte[] bytes = Files.readAllBytes(oldest);
        write(100);
        assertThat(oldest).doesNotExist();
        Files.write(oldest, bytes);
        assertThat(verify().broken()).isEmpty();

        write(1);

        assertThat(oldest).doesNotExist();
        assertThat(verify().broken()).isEmpty();
    }

    @Test
    void missesLinesThatSomebodyElseRemovedFromTheBeginning() throws IOException {
        write(200);
        Files.delete(new AuditFiles(file).rotated().getFirst());
        assertThat(reason()).contains("must follow");
    }

    @Test
    void believesNoHeadThatAnotherKeySigned() throws IOException {
        write(200);
        Path oldest = new AuditFiles(file).rotated().getFirst();
        AuditLine cut = LogTail.read(oldest).last().orElseThrow();
        AuditHead head = AuditHead.load(directory.resolve("audit.head")).orElseThrow().head();
        Files.delete(oldest);
        AuditKey other = AuditKey.open(directory.resolve("other.key"));
        AuditHead.save(
                directory.resolve("audit.head"),
                head.beginning(cut.seq() + 1, cut.hash()).signed(other));

        assertThat(reason()).contains("not signed by the key that the session store knows");
        assertThatThrownBy(() -> open(SMALL)).hasMessageContaining("a different key");
    }

    @Test
    void believesNoRemovalThatIsNotInTheRecord() throws IOException {
        write(200);
        Path oldest = new AuditFiles(file).rotated().getFirst();
        AuditLine cut = LogTail.read(oldest).last().orElseThrow();
        AuditHead head = AuditHead.load(directory.resolve("audit.head")).orElseThrow().head();
        Files.delete(oldest);
        AuditKey own = AuditKey.open(directory.resolve("test.key"));
        AuditHead.save(
                directory.resolve("audit.head"),
                head.beginning(cut.seq() + 1, cut.hash()).signed(own));

        assertThat(reason()).contains("no line records");
    }

    @Test
    void missesALogThatWasEmptiedOrRemovedAsAWhole() throws IOException {
        write(5);
        AuditMark known = marks.auditMark().orElseThrow();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path path : files.filter(path -> !path.endsWith("test.key")).toList()) {
                Files.delete(path);
            }
        }
        assertThat(verify().lines()).isZero();
        assertThat(reason()).isEqualTo("the log is gone; it had 5 lines");
        assertThatThrownBy(() -> open(SMALL))
                .hasMessageContaining("the session store counts 5 lines")
                .hasMessageContaining("sallyport audit begin");
        assertThat(file).doesNotExist();

        marks.markAudit(new AuditMark(0, known.hash(), ""));
        write(1);
        assertThat(read().getFirst().event())
                .isEqualTo(new AuditEvent("audit.begun", "", "", Map.of("after", known.hash())));
        assertThat(verify().broken()).isEmpty();
    }

    @Test
    void missesLinesThatOnlyTheStoreKnows() throws IOException {
        write(3);
        byte[] log = Files.readAllBytes(file);
        byte[] head = Files.readAllBytes(directory.resolve("audit.head"));
        write(3);
        Files.write(file, log);
        Files.write(directory.resolve("audit.head"), head);

        assertThat(AuditVerifier.verify(file, Optional.empty()).holds()).isTrue();
        assertThat(reason()).isEqualTo("lines up to 6 were removed from the end");
        assertThatThrownBy(() -> open(SMALL)).hasMessageContaining("counts 6 lines");
    }

    /// What somebody does who can write to the log's directory and has no key.
    private void rewriteFrom(long seq, int added) throws IOException {
        List<AuditLine> lines = read();
        List<AuditLine> kept = lines.stream().filter(line -> line.seq() < seq).toList();
        StringBuilder forged = new StringBuilder();
        String prev = kept.isEmpty() ? AuditLine.FIRST_PREV : kept.getLast().hash();
        for (String line : Files.readAllLines(file).subList(0, kept.size())) {
            forged.append(line).append('\n');
        }
        AuditEvent harmless = new AuditEvent("git.request", "0123456789abcdef", "deny", Map.of());
        for (long next = seq; next <= lines.size() + added; next++) {
            byte[] line = AuditLine.encode(next, now, harmless, prev);
            prev = AuditLine.decode(line).hash();
            forged.append(new String(line, StandardCharsets.US_ASCII)).append('\n');
        }
        Files.writeString(file, forged);
    }

    private void refusesAndSignsNothing(String message) throws IOException {
        byte[] head = Files.readAllBytes(directory.resolve("audit.head"));
        AuditMark known = marks.auditMark().orElseThrow();
        byte[] log = Files.readAllBytes(file);
        assertThatThrownBy(() -> open(SMALL))
                .hasMessageContaining(message)
                .hasMessageContaining("sallyport audit begin");
        assertThat(directory.resolve("audit.head")).hasBinaryContent(head);
        assertThat(file).hasBinaryContent(log);
        assertThat(marks.auditMark()).contains(known);
    }

    @Test
    void signsNoLinesThatWereRewrittenAndThenContinued() throws IOException {
        write(6);
        rewriteFrom(5, 1);
        assertThat(reason()).contains("not the line that audit.head names");
        refusesAndSignsNothing("line 6 is not the one that audit.head knows");
        assertThat(verify().holds()).isFalse();
    }

    @Test
    void signsNoLinesThatOnlyTheStoreKnowsToBeOthers() throws IOException {
        write(3);
        byte[] head = Files.readAllBytes(directory.resolve("audit.head"));
        write(3);
        Files.write(directory.resolve("audit.head"), head);
        rewriteFrom(5, 1);
        refusesAndSignsNothing("line 6 is not the one that the session store knows");
    }

    @Test
    void signsNoLinesThatDoNotFollowFromThoseThatAreKnown() throws IOException {
        write(6);
        byte[] stray = AuditLine.encode(7, now, EVENT, read().getFirst().hash());
        Files.writeString(
                file, Files.readString(file) + new String(stray, StandardCharsets.US_ASCII) + '\n');
        refusesAndSignsNothing("line 7 does not follow");
    }

    @Test
    void goesOnAfterACrashWithLinesThatNoHeadKnowsYetAlsoInLaterFiles() throws IOException {
        write(3);
        AuditMark known = marks.auditMark().orElseThrow();
        byte[] head = Files.readAllBytes(directory.resolve("audit.head"));
        write(12);
        assertThat(new AuditFiles(file).rotated()).isNotEmpty();
        Files.write(directory.resolve("audit.head"), head);
        marks.markAudit(known);

        write(1);

        assertThat(read()).hasSize(16);
        assertThat(verify().broken()).isEmpty();
    }

    @Test
    void theStoreIsNeverAheadOfTheDisk() throws IOException {
        List<Long> ahead = new ArrayList<>();
        AuditMarks watching =
                new AuditMarks() {
                    @Override
                    public Optional<AuditMark> auditMark() {
                        return Optional.empty();
                    }

                    @Override
                    public void markAudit(AuditMark mark) throws IOException {
                        AuditHead head =
                                AuditHead.load(directory.resolve("audit.head"))
                                        .orElseThrow()
                                        .head();
                        if (mark.seq() > head.seq() || mark.seq() > read().getLast().seq()) {
                            ahead.add(mark.seq());
                        }
                        marks.markAudit(mark);
                    }
                };
        try (AuditLog log = AuditLog.open(file, AuditLogs.terms(file, SMALL, watching))) {
            for (int i = 0; i < 100; i++) {
                log.append(EVENT);
            }
        }
        assertThat(ahead).isEmpty();
        assertThat(marks.auditMark().orElseThrow().seq()).isEqualTo(100);
    }

    @Test
    void aLogFromBeforeHeadsWereSignedIsSignedWhenItIsOpened() throws IOException {
        write(2);
        AuditMark known = marks.auditMark().orElseThrow();
        Files.writeString(directory.resolve("audit.head"), "%019d %s\n".formatted(2, known.hash()));
        assertThatThrownBy(() -> open(SMALL)).hasMessageContaining("a different key");
        assertThat(reason()).contains("not signed");

        marks.forget();
        assertThat(verify().broken()).isEmpty();
        write(1);
        assertThat(verify().key()).isEqualTo(known.key());
        assertThat(verify().broken()).isEmpty();
    }

    @Test
    void countsOfDenialsDoNotUseUpTheRoomForLastWords() throws Exception {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        Command.of("mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "none", disk.toString())
                .run()
                .ok();
        try {
            useUp(disk);
        } finally {
            Command.of("umount", "-l", disk.toString()).run().ok();
        }
    }

    private void useUp(Path disk) throws IOException {
        file = disk.resolve("audit.jsonl");
        AuditEvent summary =
                new AuditEvent("audit.thinned", "0123456789abcdef", "deny", Map.of("count", "9"));
        try (AuditLog log = open(AuditLimits.standard())) {
            assertThatThrownBy(() -> Files.write(disk.resolve("ballast"), new byte[1 << 20]))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < 1_000; i++) {
                                    log.append(EVENT);
                                }
                            })
                    .isInstanceOf(DiskFullException.class);
            long held = Files.size(disk.resolve("audit.reserve"));
            for (int i = 0; i < 100; i++) {
                assertThatThrownBy(() -> log.append(summary)).isInstanceOf(DiskFullException.class);
            }
            assertThat(disk.resolve("audit.reserve")).hasSize(held);
            log.append(new AuditEvent("session.destroy", "0123456789abcdef", "", Map.of()));
        }
        assertThat(read()).extracting(line -> line.event().kind()).doesNotContain("audit.thinned");
        assertThat(read().getLast().event().kind()).isEqualTo("session.destroy");
    }
}
