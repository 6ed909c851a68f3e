package dev.sallyport.audit;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/// Which lines of a log are wanted: those that every part fits.
///
/// @param session session id
/// @param sandbox name of a sandbox: all sessions that ever had it
/// @param decision `allow` or `deny`
/// @param id of a request; shows also the summary that counts it
/// @param target part of the name of a host, repository, ref or path
/// @param since not older than this
/// @param until older than this
/// @param last only the last so many of those that fit
public record AuditFilter(
        Optional<String> session,
        Optional<String> sandbox,
        Optional<String> decision,
        Optional<String> id,
        Optional<String> target,
        Optional<Instant> since,
        Optional<Instant> until,
        OptionalInt last) {
    /// `last` keeps lines in memory.
    public static final int LAST_MAX = 100_000;

    /// The detail that every line about the life of a session has.
    public static final String SANDBOX = "sandbox";

    public static final AuditFilter ALL =
            new AuditFilter(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    OptionalInt.empty());

    private static final List<String> TARGETS = List.of("host", "name", "repo", "path");
    private static final String REF = "ref-";

    public AuditFilter {
        if (last.isPresent() && (last.getAsInt() < 1 || last.getAsInt() > LAST_MAX)) {
            throw new IllegalArgumentException("last is between 1 and " + LAST_MAX);
        }
    }

    public static AuditFilter ofSession(String session) {
        return ALL.session(session);
    }

    public AuditFilter session(String wanted) {
        return new AuditFilter(
                Optional.of(wanted), sandbox, decision, id, target, since, until, last);
    }

    public AuditFilter sandbox(String wanted) {
        return new AuditFilter(
                session, Optional.of(wanted), decision, id, target, since, until, last);
    }

    public AuditFilter since(Instant wanted) {
        return new AuditFilter(
                session, sandbox, decision, id, target, Optional.of(wanted), until, last);
    }

    public AuditFilter decision(String wanted) {
        return new AuditFilter(
                session, sandbox, Optional.of(wanted), id, target, since, until, last);
    }

    public AuditFilter id(String wanted) {
        return new AuditFilter(
                session, sandbox, decision, Optional.of(wanted), target, since, until, last);
    }

    public AuditFilter last(int lines) {
        return new AuditFilter(
                session, sandbox, decision, id, target, since, until, OptionalInt.of(lines));
    }

    /// All parts but the name of a sandbox, which no single line proves.
    boolean fits(AuditLine line) {
        AuditEvent event = line.event();
        return session.map(event.session()::equals).orElse(true)
                && decision.map(event.decision()::equals).orElse(true)
                && since.map(from -> !line.time().isBefore(from)).orElse(true)
                && until.map(line.time()::isBefore).orElse(true)
                && target.map(part -> isAbout(event, part)).orElse(true)
                && id.map(wanted -> tellsOf(event, wanted)).orElse(true);
    }

    private static boolean isAbout(AuditEvent event, String part) {
        return event.detail().entrySet().stream()
                .filter(e -> TARGETS.contains(e.getKey()) || e.getKey().startsWith(REF))
                .anyMatch(e -> e.getValue().contains(part));
    }

    private static boolean tellsOf(AuditEvent event, String id) {
        Map<String, String> detail = event.detail();
        return id.equals(detail.get("id"))
                || (event.kind().equals(ThinnedRecorder.SUMMARY)
                        && id.compareTo(detail.getOrDefault("first-id", "~")) >= 0
                        && id.compareTo(detail.getOrDefault("last-id", "")) <= 0);
    }
}
