package dev.sallyport.page;

import dev.sallyport.audit.AuditMarks;
import dev.sallyport.audit.AuditVerifier;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Proves the record when somebody asks, one at a time: it is read as a whole.
final class AuditProof {
    /// Whoever asks again within this time gets the same answer.
    private static final Duration FRESH = Duration.ofSeconds(5);

    private final Path log;
    private final AuditMarks marks;
    private Optional<View> last = Optional.empty();
    private Instant checked = Instant.MIN;

    AuditProof(Path log, AuditMarks marks) {
        this.log = log;
        this.marks = marks;
    }

    /// As `audit verify --json` says it.
    ///
    /// @param checked when
    record View(
            boolean holds,
            long lines,
            long firstSeq,
            Optional<String> first,
            Optional<String> last,
            String lastHash,
            String key,
            Optional<Broken> broken,
            String checked) {}

    record Broken(String file, long line, String reason) {}

    synchronized View now() throws IOException {
        if (last.isEmpty() || checked.plus(FRESH).isBefore(Instant.now())) {
            View view = view(AuditVerifier.verify(log, marks.auditMark()));
            last = Optional.of(view);
            checked = Instant.now();
            return view;
        }
        return last.get();
    }

    private static View view(AuditVerifier.Result result) {
        return new View(
                result.holds(),
                result.lines(),
                result.firstSeq(),
                result.first().map(Object::toString),
                result.last().map(Object::toString),
                result.lastHash(),
                result.key(),
                result.broken().map(at -> new Broken(at.file().toString(), at.line(), at.reason())),
                Instant.now().toString());
    }
}
