package dev.sallyport.page;

import dev.sallyport.audit.AuditMarks;
import dev.sallyport.audit.AuditVerdict;
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
    private Optional<AuditVerdict> last = Optional.empty();
    private Instant checked = Instant.MIN;

    AuditProof(Path log, AuditMarks marks) {
        this.log = log;
        this.marks = marks;
    }

    synchronized AuditVerdict now() throws IOException {
        if (last.isEmpty() || checked.plus(FRESH).isBefore(Instant.now())) {
            AuditVerifier.Result result = AuditVerifier.verify(log, marks.auditMark());
            checked = Instant.now();
            last = Optional.of(AuditVerdict.of(result, checked));
        }
        return last.orElseThrow();
    }
}
