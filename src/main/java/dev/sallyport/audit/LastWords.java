package dev.sallyport.audit;

import java.util.Set;

/// What may still be written when the disk is full: how things end. The daemon's start is among
/// them, because without it nobody can end anything. Nothing is that a sandbox can cause again and
/// again: it would use up the reserve.
final class LastWords {
    private static final Set<String> KINDS =
            Set.of(
                    "audit.disk-freed",
                    "audit.disk-full",
                    "audit.recovered",
                    "audit.removed",
                    "session.create-failed",
                    "session.destroy",
                    "session.end",
                    "session.ended",
                    "session.expire",
                    "session.identity-refused",
                    "session.lease",
                    "session.revoke",
                    "session.stop",
                    "session.stop-failed",
                    "warden.start",
                    "warden.stop");

    private LastWords() {}

    static boolean contain(AuditEvent event) {
        return KINDS.contains(event.kind());
    }
}
