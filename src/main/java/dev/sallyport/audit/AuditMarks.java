package dev.sallyport.audit;

import java.io.IOException;
import java.util.Optional;

/// Where the newest [AuditMark] is kept. It is written after the lines it stands for are on disk,
/// at most once a second, and therefore never ahead of them.
public interface AuditMarks {
    Optional<AuditMark> auditMark() throws IOException;

    void markAudit(AuditMark mark) throws IOException;
}
