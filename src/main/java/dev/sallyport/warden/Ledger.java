package dev.sallyport.warden;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditLog;
import dev.sallyport.audit.Stamp;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.DiskFullException;
import dev.sallyport.config.FullDisk;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Where the warden writes what it is about to do. What cannot be written is not done.
final class Ledger {
    private static final System.Logger LOG = System.getLogger(Ledger.class.getName());

    /// Of a container's id so much is what people see elsewhere.
    private static final int IDENTITY_CHARACTERS = 24;

    private final AuditLog log;

    Ledger(AuditLog log) {
        this.log = log;
    }

    /// Why nothing new can be recorded, if that is so.
    Optional<String> trouble() {
        return log.trouble();
    }

    /// Records before the effect; a failure refuses the operation.
    void record(AuditEvent event) throws OperationException {
        record(event, Stamp.NONE);
    }

    /// Likewise for what is about no session.
    void record(String kind, Map<String, String> detail) throws OperationException {
        record(new AuditEvent(kind, "", "", detail));
    }

    private void record(AuditEvent event, Stamp stamp) throws OperationException {
        try {
            log.append(List.of(event), _ -> stamp);
        } catch (IOException e) {
            throw new OperationException(
                    FullDisk.isCauseOf(e)
                            ? OperationException.Fault.DISK_FULL
                            : OperationException.Fault.UNAVAILABLE,
                    "The audit log cannot be written, so nothing was done: " + reason(e),
                    remedy(e),
                    e);
        }
    }

    private static String reason(IOException e) {
        if (FullDisk.isCauseOf(e)) {
            return FullDisk.sentence(e);
        }
        return e instanceof ConfigException found
                ? found.problem()
                : String.valueOf(e.getMessage());
    }

    private static String remedy(IOException e) {
        if (FullDisk.isCauseOf(e)) {
            return FullDisk.REMEDY;
        }
        return e instanceof ConfigException found
                ? found.remedy()
                : "Free disk space or repair the log; see: sallyport audit verify";
    }

    void record(String kind, Session session, Map<String, String> detail)
            throws OperationException {
        record(of(kind, session, detail), stamp(session));
    }

    /// Records what has happened already or must happen in any case, such as the end of a sandbox.
    void note(AuditEvent event) {
        note(event, Stamp.NONE);
    }

    void note(String kind, Map<String, String> detail) {
        note(new AuditEvent(kind, "", "", detail));
    }

    /// As [#note], and answers for a person why it is not in the log.
    Optional<String> tryToRecord(String kind, Map<String, String> detail) {
        return tryToRecord(new AuditEvent(kind, "", "", detail), Stamp.NONE);
    }

    private void note(AuditEvent event, Stamp stamp) {
        var _ = tryToRecord(event, stamp);
    }

    private Optional<String> tryToRecord(AuditEvent event, Stamp stamp) {
        try {
            log.append(List.of(event), _ -> stamp);
            return Optional.empty();
        } catch (IOException e) {
            String what = event.kind() + " " + event.detail().getOrDefault("sandbox", "");
            LOG.log(System.Logger.Level.ERROR, "not recorded: " + what, e);
            return Optional.of(reason(e));
        }
    }

    void note(String kind, Session session, Map<String, String> detail) {
        note(of(kind, session, detail), stamp(session));
    }

    /// Records what others decided, all or nothing, and answers what kept it out of the log. That
    /// the disk is full the log has said once; a line for each event would fill what is left.
    ///
    /// @param stamps whose an event is, by its session
    Optional<IOException> append(List<AuditEvent> events, Function<String, Stamp> stamps) {
        try {
            log.append(events, stamps);
            return Optional.empty();
        } catch (DiskFullException e) {
            return Optional.of(e);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "not recorded: events of the gateway", e);
            return Optional.of(e);
        }
    }

    static Stamp stamp(Session session) {
        String id = session.identity().map(Identity::runtimeId).orElse("");
        String who = id.substring(0, Math.min(id.length(), IDENTITY_CHARACTERS));
        String runtime = session.spec().runtime().label() + (who.isEmpty() ? "" : ":" + who);
        return new Stamp(session.name(), runtime, session.policy().digest());
    }

    private static AuditEvent of(String kind, Session session, Map<String, String> detail) {
        Map<String, String> all = new HashMap<>(detail);
        all.put("sandbox", session.name());
        return new AuditEvent(kind, session.id().value(), "", all);
    }
}
