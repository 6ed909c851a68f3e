package dev.sallyport.session;

import dev.sallyport.audit.AuditMarks;

/// What a session store knows of the audit log.
public interface AuditStore extends AuditMarks, AutoCloseable {
    @Override
    void close() throws StoreException;
}
