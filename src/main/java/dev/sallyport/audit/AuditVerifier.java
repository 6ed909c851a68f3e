package dev.sallyport.audit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Proves offline that no line of a log was changed, removed, added or put elsewhere, but for the
/// oldest, whose removal is signed and recorded. It reads the files once.
public final class AuditVerifier {
    /// The first place where the chain does not hold.
    ///
    /// @param line number within the file, from 1
    public record Break(Path file, long line, String reason) {}

    /// What was found.
    ///
    /// @param lines how many lines hold
    /// @param firstSeq number of the oldest; more than 1 when older ones were removed
    /// @param lastHash ties down all of them: whoever notes it elsewhere can prove later that the
    ///   log was not rewritten as a whole
    /// @param key that signed where the log begins and ends; empty if none did
    public record Result(
            long lines,
            long firstSeq,
            Optional<Instant> first,
            Optional<Instant> last,
            String lastHash,
            String key,
            Optional<Break> broken) {
        public boolean holds() {
            return broken.isEmpty();
        }
    }

    /// Told of every line that was read.
    public interface Watch {
        Watch NONE = _ -> {};

        /// One more holds.
        ///
        /// @param lines how many do so far
        void read(long lines);
    }

    private static final int ATTEMPTS_MAX = 5;

    private final AuditFiles files;
    private final Optional<AuditMark> mark;
    private final List<WitnessedHeads> witnessed;
    private final Watch watch;
    private final Optional<AuditHead.Kept> kept;
    private final AuditHead head;
    private @Nullable AuditLine first;
    private @Nullable AuditLine last;
    private @Nullable AuditEvent removal;
    private long lines;

    private AuditVerifier(
            AuditFiles files,
            Optional<AuditMark> mark,
            List<WitnessedHeads> witnessed,
            Watch watch,
            Optional<AuditHead.Kept> kept) {
        this.files = files;
        this.mark = mark;
        this.witnessed = witnessed;
        this.watch = watch;
        this.kept = kept;
        this.head = kept.map(AuditHead.Kept::head).orElse(AuditHead.NONE);
    }

    /// Verifies the log whose current file is `file`, with all files that were rotated away. A log
    /// that grows meanwhile is read again, since half of a line is not yet a broken one.
    ///
    /// @param mark what the session store knew before; absent for a log without one
    public static Result verify(Path file, Optional<AuditMark> mark) throws IOException {
        return verify(file, mark, List.of(), Watch.NONE);
    }

    /// The same, compared with what witnesses have seen.
    public static Result verify(
            Path file, Optional<AuditMark> mark, List<WitnessedHeads> witnessed, Watch watch)
            throws IOException {
        AuditFiles files = new AuditFiles(file.toAbsolutePath());
        Result result = once(files, mark, witnessed, watch);
        for (int i = 1; i < ATTEMPTS_MAX && !result.holds(); i++) {
            long size = size(file);
            Result again = once(files, mark, witnessed, watch);
            if (again.equals(result) && size == size(file)) {
                return again;
            }
            result = again;
        }
        return result;
    }

    private static long size(Path file) throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }

    private static Result once(
            AuditFiles files, Optional<AuditMark> mark, List<WitnessedHeads> witnessed, Watch watch)
            throws IOException {
        Optional<AuditHead.Kept> kept;
        try {
            kept = AuditHead.load(files.head());
        } catch (IOException e) {
            AuditVerifier none = new AuditVerifier(files, mark, witnessed, watch, Optional.empty());
            return none.result(none.atHead(reason(e)));
        }
        AuditVerifier verifier = new AuditVerifier(files, mark, witnessed, watch, kept);
        return verifier.result(verifier.run(files.from(verifier.head.first())));
    }

    private Optional<Break> run(List<Path> all) throws IOException {
        for (Path file : all) {
            Optional<Break> broken = run(file);
            if (broken.isPresent()) {
                return broken;
            }
        }
        return checkWhole();
    }

    private Optional<Break> run(Path file) throws IOException {
        long number = 0;
        try (LineReader reader = new LineReader(file)) {
            for (Optional<byte[]> line = reader.next(); line.isPresent(); line = reader.next()) {
                number++;
                accept(AuditLine.decode(line.get()));
            }
            if (reader.isTorn()) {
                return Optional.of(new Break(file, number + 1, "it has no end"));
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(new Break(file, Math.max(number, 1), reason(e)));
        }
    }

    private void accept(AuditLine line) throws IOException {
        AuditLine before = last;
        long seq = before == null ? head.first() : before.seq() + 1;
        if (line.seq() != seq) {
            throw new IOException("it is number " + line.seq() + " where " + seq + " must follow");
        }
        if (!line.prev().equals(before == null ? head.before() : before.hash())) {
            throw new IOException("it does not follow from the line before");
        }
        if (head.seq() == seq && !head.hash().equals(line.hash())) {
            throw new IOException(
                    "it is not the line that " + files.head().getFileName() + " names");
        }
        if (mark.isPresent() && mark.get().seq() == seq && !mark.get().hash().equals(line.hash())) {
            throw new IOException("it is not the line that the session store knows");
        }
        for (WitnessedHeads seen : witnessed) {
            Optional<String> unseen = seen.objection(line);
            if (unseen.isPresent()) {
                throw new IOException(unseen.get());
            }
        }
        if (line.event().kind().equals("audit.removed")) {
            removal = line.event();
        }
        first = first == null ? line : first;
        last = line;
        lines++;
        watch.read(lines);
    }

    private Optional<Break> checkWhole() {
        if (kept.isEmpty() && lines > 0) {
            return atHead("the file is gone");
        }
        long known =
                Math.max(
                        witnessed.stream().mapToLong(WitnessedHeads::reached).max().orElse(0),
                        Math.max(head.seq(), mark.map(AuditMark::seq).orElse(0L)));
        long reached = last == null ? 0 : last.seq();
        if (known > reached) {
            return Optional.of(
                    new Break(
                            files.current(),
                            lines + 1,
                            reached == 0
                                    ? "the log is gone; it had " + known + " lines"
                                    : "lines up to " + known + " were removed from the end"));
        }
        String signer = mark.map(AuditMark::key).orElse("");
        if (!signer.isEmpty() && !signer.equals(kept.map(AuditHead.Kept::key).orElse(""))) {
            return atHead("it is not signed by the key that the session store knows");
        }
        String signed = kept.map(AuditHead.Kept::key).orElse("");
        if (witnessed.stream().anyMatch(seen -> seen.isOfOtherKey(signed))) {
            return atHead("it is not signed by the key that the witness knows");
        }
        return checkRemoval();
    }

    /// Whoever could only sign, but not write to the chain, could not have removed anything.
    private Optional<Break> checkRemoval() {
        if (head.first() == 1) {
            return Optional.empty();
        }
        AuditEvent told = removal;
        boolean recorded =
                told != null
                        && Long.toString(head.first() - 1).equals(told.detail().get("to"))
                        && head.before().equals(told.detail().get("hash"));
        return recorded
                ? Optional.empty()
                : atHead("no line records that lines before " + head.first() + " were removed");
    }

    private Optional<Break> atHead(String reason) {
        return Optional.of(new Break(files.head(), 1, reason));
    }

    private Result result(Optional<Break> broken) {
        return new Result(
                lines,
                head.first(),
                Optional.ofNullable(first).map(AuditLine::time),
                Optional.ofNullable(last).map(AuditLine::time),
                last == null ? AuditLine.FIRST_PREV : last.hash(),
                kept.map(AuditHead.Kept::key).orElse(""),
                broken);
    }

    private static String reason(IOException e) {
        return String.valueOf(e.getMessage());
    }
}
