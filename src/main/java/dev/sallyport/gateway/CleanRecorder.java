package dev.sallyport.gateway;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.audit.Redaction;
import dev.sallyport.credential.KnownSecrets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// Takes a session's own secrets out of what goes to the record, however a sandbox or an upstream
/// has written them: the warden, which writes it, knows only what tokens look like. Of a value with
/// a secret in it only what comes before is kept.
final class CleanRecorder implements Recorder {
    /// Between values; no secret has it.
    private static final String BORDER = "\0";

    private static final String CUT = "…";

    /// So much of a value can be kept before the mark.
    private static final int KEPT_MAX = AuditEvent.VALUE_CHARACTERS_MAX - Redaction.MARK.length();

    private final Recorder recorder;

    /// For a while more than one set for a session: what was replaced is still in use.
    private final Map<String, List<KnownSecrets>> sessions = new ConcurrentHashMap<>();

    CleanRecorder(Recorder recorder) {
        this.recorder = recorder;
    }

    /// These are secrets of the session from now on, besides those that it has.
    void know(String session, KnownSecrets secrets) {
        sessions.merge(
                session,
                List.of(secrets),
                (old, more) -> Stream.of(old, more).flatMap(List::stream).toList());
    }

    /// The session's other secrets stay.
    void forget(String session, KnownSecrets secrets) {
        sessions.computeIfPresent(
                session,
                (_, known) -> {
                    List<KnownSecrets> left =
                            known.stream().filter(one -> !one.equals(secrets)).toList();
                    return left.isEmpty() ? null : left;
                });
    }

    private List<KnownSecrets> known(String session) {
        return sessions.getOrDefault(session, List.of());
    }

    /// Whether any session's secret is in a text.
    boolean isKnown(String text) {
        return sessions.values().stream()
                .flatMap(Collection::stream)
                .anyMatch(secrets -> secrets.isIn(text));
    }

    /// Whether a whole secret of the session is in a text; all that the session itself may see of
    /// what is known here.
    boolean isWholeIn(String session, String text) {
        return known(session).stream().anyMatch(secrets -> secrets.isWholeIn(text));
    }

    @Override
    public CompletableFuture<Void> record(AuditEvent event) {
        return recorder.record(clean(event));
    }

    @Override
    public CompletableFuture<Void> recordRead(AuditEvent event) {
        return recorder.recordRead(clean(event));
    }

    /// One search for all values: nearly always there is nothing to be found.
    private AuditEvent clean(AuditEvent event) {
        List<KnownSecrets> known = known(event.session());
        if (known.isEmpty()) {
            return event;
        }
        String all = String.join(BORDER, event.detail().values());
        if (!all.contains(CUT) && known.stream().noneMatch(secrets -> secrets.isIn(all))) {
            return event;
        }
        Map<String, String> detail = new TreeMap<>(event.detail());
        detail.replaceAll((_, value) -> clean(value, known));
        return new AuditEvent(event.kind(), event.session(), event.decision(), detail);
    }

    private static String clean(String value, List<KnownSecrets> known) {
        String before =
                known.stream()
                        .map(secrets -> secrets.before(value))
                        .min(Comparator.comparingInt(String::length))
                        .orElse(value);
        return before.equals(value)
                ? value
                : before.substring(0, Math.min(before.length(), KEPT_MAX)) + Redaction.MARK;
    }
}
