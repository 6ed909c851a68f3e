package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AuditLimits;
import dev.sallyport.fixture.AuditLogs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
    private static final AuditEvent EVENT =
            new AuditEvent("git.request", "0123456789abcdef", "allow", Map.of("repo", "a/b/c"));

    @TempDir Path directory;
    private Path file = Path.of("unset");

    @BeforeEach
    void place() {
        file = directory.resolve("audit.jsonl");
    }

    private void write(int lines) throws IOException {
        try (AuditLog log = AuditLogs.open(file)) {
            for (int i = 0; i < lines; i++) {
                log.append(EVENT);
            }
        }
    }

    private List<AuditLine> read() throws IOException {
        List<AuditLine> lines = new ArrayList<>();
        AuditReader.read(file, AuditFilter.ALL, lines::add);
        return lines;
    }

    @Test
    void numbersAndChainsLinesAcrossReopening() throws IOException {
        write(3);
        write(2);

        List<AuditLine> lines = read();
        assertThat(lines).extracting(AuditLine::seq).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(lines.get(0).prev()).isEqualTo("0".repeat(64));
        assertThat(lines.get(3).prev()).isEqualTo(lines.get(2).hash());
        assertThat(lines.get(4).event()).isEqualTo(EVENT);
        AuditVerifier.Result result = AuditVerifier.verify(file, Optional.empty());
        assertThat(result.holds()).isTrue();
        assertThat(result.lines()).isEqualTo(5);
        assertThat(result.lastHash()).isEqualTo(lines.get(4).hash());
    }

    @Test
    void isInTheFileWhenAppendReturns() throws IOException {
        try (AuditLog log = AuditLogs.open(file)) {
            for (int i = 1; i <= 10; i++) {
                assertThat(log.append(EVENT)).isEqualTo(i);
                assertThat(Files.readAllLines(file)).hasSize(i);
            }
        }
    }

    @Test
    void isClosedToOthers() throws IOException {
        write(1);
        for (Path part : List.of(file, directory.resolve("audit.head"))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(part)))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void refusesASymlinkAndLeavesItsTargetAlone() throws IOException {
        Path target = Files.createFile(directory.resolve("target"));
        Files.createSymbolicLink(file, target);

        assertThatThrownBy(() -> AuditLogs.open(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("symlink");
        assertThat(target).isEmptyFile();
    }

    @Test
    void refusesAFileThatOthersCanRead() throws IOException {
        write(1);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> AuditLogs.open(file)).hasMessageContaining("chmod 600");
        assertThat(Files.readAllLines(file)).hasSize(1);
    }

    @Test
    void findsEverySingleFlippedBit() throws IOException {
        write(3);
        byte[] sound = Files.readAllBytes(file);
        for (int bit = 0; bit < sound.length * 8; bit++) {
            byte[] flipped = sound.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            Files.write(file, flipped);
            assertThat(AuditVerifier.verify(file, Optional.empty()).broken())
                    .as("bit %d", bit)
                    .isPresent();
        }
        Files.write(file, sound);
        assertThat(AuditVerifier.verify(file, Optional.empty()).holds()).isTrue();
    }

    @Test
    void findsEveryFlippedBitOfTheHead() throws IOException {
        write(3);
        Path head = directory.resolve("audit.head");
        byte[] sound = Files.readAllBytes(head);
        for (int bit = 0; bit < sound.length * 8; bit++) {
            byte[] flipped = sound.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            Files.write(head, flipped);
            assertThat(AuditVerifier.verify(file, Optional.empty()).holds())
                    .as("bit %d", bit)
                    .isFalse();
        }
    }

    @Test
    void findsRemovedSwappedAndDoubledLines() throws IOException {
        write(6);
        List<String> sound = Files.readAllLines(file);
        for (int i = 0; i < sound.size(); i++) {
            List<String> removed = new ArrayList<>(sound);
            removed.remove(i);
            List<String> doubled = new ArrayList<>(sound);
            doubled.add(i, sound.get(i));
            List<String> swapped = new ArrayList<>(sound);
            swapped.set(i, sound.get((i + 1) % sound.size()));
            swapped.set((i + 1) % sound.size(), sound.get(i));
            for (List<String> bad : List.of(removed, doubled, swapped)) {
                Files.write(file, bad);
                assertThat(AuditVerifier.verify(file, Optional.empty()).holds())
                        .as("line %d", i)
                        .isFalse();
            }
        }
    }

    @Test
    void namesTheFirstBrokenLine() throws IOException {
        write(5);
        String text = Files.readString(file);
        Files.writeString(file, text.replaceFirst("\"seq\":3", "\"seq\":9"));

        AuditVerifier.Result result = AuditVerifier.verify(file, Optional.empty());
        assertThat(result.lines()).isEqualTo(2);
        assertThat(result.broken().orElseThrow())
                .isEqualTo(new AuditVerifier.Break(file, 3, "its hash does not fit what it says"));
    }

    @Test
    void missesLinesThatWereCutOffTheEnd() throws IOException {
        write(5);
        List<String> lines = Files.readAllLines(file);
        Files.write(file, lines.subList(0, 3));

        assertThat(AuditVerifier.verify(file, Optional.empty()).broken().orElseThrow().reason())
                .isEqualTo("lines up to 5 were removed from the end");
        assertThatThrownBy(() -> AuditLogs.open(file)).hasMessageContaining("counts 5 lines");
        Files.delete(directory.resolve("audit.head"));
        assertThatThrownBy(() -> AuditLogs.open(file)).hasMessageContaining("audit.head is gone");
        assertThat(AuditVerifier.verify(file, Optional.empty()).holds()).isFalse();
        assertThat(Files.readAllLines(file)).hasSize(3);
    }

    @Test
    void movesATornLineAsideAndSaysSo() throws IOException {
        write(2);
        Files.writeString(file, "{\"seq\":3,\"ti", StandardOpenOption.APPEND);

        write(1);

        assertThat(directory.resolve("audit.jsonl.torn-3")).hasContent("{\"seq\":3,\"ti");
        assertThat(read())
                .extracting(line -> line.event().kind())
                .containsExactly("git.request", "git.request", "audit.recovered", "git.request");
        assertThat(AuditVerifier.verify(file, Optional.empty()).holds()).isTrue();
    }

    @Test
    void recoversWhenTheVeryFirstLineIsTorn() throws IOException {
        write(0);
        Files.writeString(file, "{\"se", StandardOpenOption.APPEND);
        write(1);
        assertThat(read()).extracting(AuditLine::seq).containsExactly(1L, 2L);
        assertThat(AuditVerifier.verify(file, Optional.empty()).holds()).isTrue();
    }

    @Test
    void refusesADamagedLastLineAndChangesNothing() throws IOException {
        write(3);
        String damaged = Files.readString(file).replace("\"seq\":3", "\"seq\":4");
        Files.writeString(file, damaged);

        assertThatThrownBy(() -> AuditLogs.open(file))
                .hasMessageContaining("damaged")
                .hasMessageContaining("sallyport audit verify");
        assertThat(file).hasContent(damaged);
    }

    @Test
    void refusesToWriteToAFileThatSomeoneElseChanged() throws IOException {
        try (AuditLog log = AuditLogs.open(file)) {
            log.append(EVENT);
            Files.writeString(file, "forged\n", StandardOpenOption.APPEND);
            assertThatThrownBy(() -> log.append(EVENT)).hasMessageContaining("someone else");
            Files.delete(file);
            assertThatThrownBy(() -> log.append(EVENT))
                    .hasMessageContaining(file + " was removed by someone else.");
            assertThat(file).doesNotExist();
        }
    }

    @Test
    void continuesTheChainAcrossRotatedFiles() throws IOException {
        for (int run = 0; run < 3; run++) {
            try (AuditLog log =
                    AuditLog.open(
                            file,
                            AuditLogs.terms(
                                    file, new AuditLimits(16_000, 400), new AuditLogs.Marks()))) {
                for (int i = 0; i < 10; i++) {
                    log.append(EVENT);
                }
            }
        }
        List<Path> rotated = new AuditFiles(file).rotated();
        assertThat(rotated).hasSizeGreaterThan(5);
        assertThat(rotated.getFirst()).hasFileName("audit-1.jsonl");
        assertThat(read()).hasSize(30);
        assertThat(AuditVerifier.verify(file, Optional.empty()).lines()).isEqualTo(30);
        assertThat(AuditVerifier.verify(file, Optional.empty()).holds()).isTrue();

        Files.delete(rotated.get(2));
        assertThat(AuditVerifier.verify(file, Optional.empty()).broken().orElseThrow().file())
                .isEqualTo(rotated.get(3));
    }

    @Test
    void continuesAfterAKillBetweenTheStepsOfARotation() throws IOException {
        write(4);
        Files.move(file, directory.resolve("audit-1.jsonl"));
        write(1);
        assertThat(read()).extracting(AuditLine::seq).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(AuditVerifier.verify(file, Optional.empty()).holds()).isTrue();
    }

    @Test
    void keepsConcurrentAppendsInOneChain() throws Exception {
        try (AuditLog log = AuditLogs.open(file);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<Long>> appends = Collections.nCopies(500, () -> log.append(EVENT));
            Set<Long> seqs = new HashSet<>();
            for (Future<Long> answer : threads.invokeAll(appends)) {
                seqs.add(answer.get());
            }
            assertThat(seqs).hasSize(500);
        }
        assertThat(AuditVerifier.verify(file, Optional.empty()).lines()).isEqualTo(500);
        assertThat(AuditVerifier.verify(file, Optional.empty()).holds()).isTrue();
    }

    @Test
    void survivesAnInterruptOfTheThreadThatAppends() throws IOException {
        try (AuditLog log = AuditLogs.open(file)) {
            Thread.currentThread().interrupt();
            log.append(EVENT);
            assertThat(Thread.interrupted()).isTrue();
            log.append(EVENT);
        }
        assertThat(AuditVerifier.verify(file, Optional.empty()).lines()).isEqualTo(2);
    }

    @Test
    void writesNothingAfterClose() throws IOException {
        AuditLog log = AuditLogs.open(file);
        log.append(EVENT);
        log.close();
        assertThatThrownBy(() -> log.append(EVENT)).hasMessageContaining("closed");
        log.close();
        assertThat(Files.readAllLines(file)).hasSize(1);
    }

    @Test
    void showsOnlyWhatWasAskedFor() throws IOException {
        try (AuditLog log = AuditLogs.open(file)) {
            for (int i = 0; i < 10; i++) {
                String decision = i % 2 == 0 ? "allow" : "deny";
                log.append(new AuditEvent("dns.query", "session" + i % 5, decision, Map.of()));
            }
        }
        assertThat(seqs(AuditFilter.ofSession("session1"))).containsExactly(2L, 7L);
        assertThat(seqs(AuditFilter.ALL.decision("deny").last(2))).containsExactly(8L, 10L);
        assertThat(seqs(AuditFilter.ofSession("nobody"))).isEmpty();
    }

    @Test
    void anIdLeadsToItsLinesOrToTheSummaryThatCountsIt() throws IOException {
        try (AuditLog log = AuditLogs.open(file)) {
            log.append(new AuditEvent("http.refused", "s", "deny", Map.of("id", "0a")));
            Map<String, String> range = Map.of("first-id", "0c", "last-id", "0f", "count", "9");
            log.append(new AuditEvent("audit.thinned", "s", "deny", range));
        }
        assertThat(seqs(AuditFilter.ALL.id("0a"))).containsExactly(1L);
        assertThat(seqs(AuditFilter.ALL.id("0d"))).containsExactly(2L);
        assertThat(seqs(AuditFilter.ALL.id("0b"))).isEmpty();
    }

    @Test
    void linesAreFoundBySandboxTimeAndTarget() throws IOException {
        try (AuditLog log = AuditLogs.open(file)) {
            log.append(new AuditEvent("egress.connect", "a", "deny", Map.of("host", "x.example")));
            log.append(new AuditEvent("session.create", "a", "", Map.of("sandbox", "work")));
            log.append(new AuditEvent("session.create", "b", "", Map.of("sandbox", "other")));
            Map<String, String> push = Map.of("repo", "h/o/n", "ref-1", "refs/heads/agent/x");
            log.append(new AuditEvent("git.push", "b", "allow", push));
            log.append(new AuditEvent("session.create", "c", "", Map.of("sandbox", "work")));
            log.append(new AuditEvent("git.request", "c", "allow", Map.of("repo", "h/o/n")));
        }
        assertThat(seqs(filter("work", "", "", ""))).containsExactly(1L, 2L, 5L, 6L);
        assertThat(seqs(filter("", "agent/", "", ""))).containsExactly(4L);
        assertThat(seqs(filter("work", "o/n", "", ""))).containsExactly(6L);
        assertThat(seqs(filter("nobody", "", "", ""))).isEmpty();
        String now = Instant.now().plusSeconds(60).toString();
        assertThat(seqs(filter("", "", "", now))).hasSize(6);
        assertThat(seqs(filter("", "", now, ""))).isEmpty();
    }

    private static AuditFilter filter(String sandbox, String target, String since, String until) {
        return new AuditFilter(
                Optional.empty(),
                given(sandbox),
                Optional.empty(),
                Optional.empty(),
                given(target),
                given(since).map(Instant::parse),
                given(until).map(Instant::parse),
                OptionalInt.empty());
    }

    private static Optional<String> given(String text) {
        return Optional.of(text).filter(t -> !t.isEmpty());
    }

    private List<Long> seqs(AuditFilter filter) throws IOException {
        List<Long> seqs = new ArrayList<>();
        AuditReader.read(file, filter, line -> seqs.add(line.seq()));
        return seqs;
    }

    @Test
    void cannotBeForgedByWhatASandboxSays() throws IOException {
        String hostile = "x\"}\n{\"seq\":99}\r\u001b[2J\u202etxt\u200b\u0085é\\\0\ud83d";
        try (AuditLog log = AuditLogs.open(file)) {
            log.append(new AuditEvent("git.request", "", "deny", Map.of("path", hostile)));
        }
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 0; i < bytes.length - 1; i++) {
            assertThat(bytes[i]).isBetween((byte) 0x20, (byte) 0x7e);
        }
        assertThat(read().getFirst().event().detail()).containsEntry("path", hostile);
        assertThat(new String(bytes, StandardCharsets.US_ASCII)).contains("\\u202e", "\\u001b");
    }

    @Test
    void keepsTokensOut() throws IOException {
        String token = "ghp_" + "a1B2".repeat(9);
        try (AuditLog log = AuditLogs.open(file)) {
            log.append(
                    new AuditEvent(
                            "git.request", "", "deny", Map.of("path", "/git/" + token + "/x")));
        }
        assertThat(Files.readString(file)).doesNotContain(token).contains("/git/[redacted]/x");
    }
}
