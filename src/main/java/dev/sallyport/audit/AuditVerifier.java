package dev.sallyport.audit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Proves offline that no line of a log was changed, removed, added or put elsewhere. It needs only
/// the files and reads them once.
public final class AuditVerifier {
    /// The first place where the chain does not hold.
    ///
    /// @param line number within the file, from 1
    public record Break(Path file, long line, String reason) {}

    /// What was found.
    ///
    /// @param lines how many lines hold
    /// @param lastHash ties down all of them: whoever notes it elsewhere can prove later that the
    ///   log was not rewritten as a whole
    public record Result(
            long lines,
            Optional<Instant> first,
            Optional<Instant> last,
            String lastHash,
            Optional<Break> broken) {
        public boolean holds() {
            return broken.isEmpty();
        }
    }

    private static final int ATTEMPTS_MAX = 5;

    private final AuditFiles files;
    private final Optional<AuditHead> head;
    private @Nullable AuditLine first;
    private @Nullable AuditLine last;
    private long lines;

    private AuditVerifier(AuditFiles files, Optional<AuditHead> head) {
        this.files = files;
        this.head = head;
    }

    /// Verifies the log whose current file is `file`, with all files that were rotated away. A log
    /// that grows meanwhile is read again, since half of a line is not yet a broken one.
    public static Result verify(Path file) throws IOException {
        AuditFiles files = new AuditFiles(file.toAbsolutePath());
        Result result = once(files);
        for (int i = 1; i < ATTEMPTS_MAX && !result.holds(); i++) {
            long size = size(file);
            Result again = once(files);
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

    private static Result once(AuditFiles files) throws IOException {
        Optional<AuditHead> head;
        try {
            head = AuditHead.load(files.head());
        } catch (IOException e) {
            AuditVerifier none = new AuditVerifier(files, Optional.empty());
            return none.result(Optional.of(new Break(files.head(), 1, reason(e))));
        }
        AuditVerifier verifier = new AuditVerifier(files, head);
        return verifier.result(verifier.run(files.all()));
    }

    private Optional<Break> run(List<Path> all) throws IOException {
        for (Path file : all) {
            Optional<Break> broken = run(file);
            if (broken.isPresent()) {
                return broken;
            }
        }
        return checkEnd();
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
        long seq = before == null ? 1 : before.seq() + 1;
        if (line.seq() != seq) {
            throw new IOException("it is number " + line.seq() + " where " + seq + " must follow");
        }
        if (!line.prev().equals(before == null ? AuditLine.FIRST_PREV : before.hash())) {
            throw new IOException("it does not follow from the line before");
        }
        if (head.isPresent() && head.get().seq() == seq && !head.get().hash().equals(line.hash())) {
            throw new IOException(
                    "it is not the line that " + files.head().getFileName() + " names");
        }
        first = first == null ? line : first;
        last = line;
        lines++;
    }

    private Optional<Break> checkEnd() {
        if (head.isEmpty()) {
            return lines == 0
                    ? Optional.empty()
                    : Optional.of(new Break(files.head(), 1, "the file is gone"));
        }
        return head.get().seq() <= lines
                ? Optional.empty()
                : Optional.of(
                        new Break(
                                files.current(),
                                lines + 1,
                                "lines up to " + head.get().seq() + " were removed from the end"));
    }

    private Result result(Optional<Break> broken) {
        return new Result(
                lines,
                Optional.ofNullable(first).map(AuditLine::time),
                Optional.ofNullable(last).map(AuditLine::time),
                last == null ? AuditLine.FIRST_PREV : last.hash(),
                broken);
    }

    private static String reason(IOException e) {
        return String.valueOf(e.getMessage());
    }
}
