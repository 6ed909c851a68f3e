package dev.sallyport.audit;

import java.io.IOException;
import java.util.Optional;

/// Where the newest [AuditMark] is kept. It is written after the lines it stands for are on disk,
/// at most once a second, and therefore never ahead of them.
public interface AuditMarks {
    Optional<AuditMark> auditMark() throws IOException;

    void markAudit(AuditMark mark) throws IOException;

    /// Keeps signed heads, too, where it lies out of reach of whoever could rewrite the log.
    default Witness witness() {
        return Witness.NONE;
    }

    /// What [#witness] has kept.
    default WitnessedHeads heads() throws IOException {
        return WitnessedHeads.NONE;
    }
}
