package dev.sallyport.gateway;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.audit.Redaction;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

/// The latest denials of each session, so that those inside can ask what a TLS alert or a name that
/// does not exist was about. It sees what goes to the record and changes nothing of it.
///
/// It comes before that is cleaned of secrets: what those inside see must not depend on how much of
/// a secret they have guessed.
final class Denials implements Recorder {
    static final int KEPT_MAX = 32;
    private static final List<String> SUBJECTS =
            List.of("host", "name", "port", "repo", "method", "path", "ref-1");

    private final Recorder recorder;
    private final BiPredicate<String, String> hidden;
    private final Map<String, Deque<Denial>> sessions = new ConcurrentHashMap<>();

    /// @param subject what was asked for, in the sandbox's own words
    record Denial(String subject, String reason, Map<String, String> facts) {
        Optional<Remedy> remedy(String sandbox) {
            return Refusal.of(reason).flatMap(refusal -> Remedy.of(refusal, sandbox, facts));
        }
    }

    /// @param hidden says of a session and a text whether it has a whole secret in it
    Denials(Recorder recorder, BiPredicate<String, String> hidden) {
        this.recorder = recorder;
        this.hidden = hidden;
    }

    @Override
    public CompletableFuture<Void> record(AuditEvent event) {
        keep(event);
        return recorder.record(event);
    }

    @Override
    public CompletableFuture<Void> recordRead(AuditEvent event) {
        return recorder.recordRead(event);
    }

    private void keep(AuditEvent event) {
        if (!event.decision().equals("deny")) {
            return;
        }
        Map<String, String> facts = new TreeMap<>(event.detail());
        facts.replaceAll(
                (_, value) ->
                        hidden.test(event.session(), value)
                                ? Redaction.MARK
                                : Redaction.redact(value));
        String reason = facts.getOrDefault("reason", facts.getOrDefault("reason-1", ""));
        if (reason.isEmpty()) {
            return;
        }
        StringBuilder subject = new StringBuilder();
        for (String key : SUBJECTS) {
            String value = facts.get(key);
            if (value != null) {
                subject.append(subject.isEmpty() ? "" : " ").append(value);
            }
        }
        Denial denial = new Denial(subject.toString(), reason, facts);
        sessions.computeIfPresent(
                event.session(),
                (_, latest) -> {
                    latest.removeIf(
                            old ->
                                    old.subject().equals(denial.subject())
                                            && old.reason().equals(reason));
                    if (latest.size() >= KEPT_MAX) {
                        latest.removeFirst();
                    }
                    latest.addLast(denial);
                    return latest;
                });
    }

    void begin(String session) {
        sessions.putIfAbsent(session, new ArrayDeque<>());
    }

    void end(String session) {
        sessions.remove(session);
    }

    /// Newest last.
    List<Denial> of(String session) {
        List<Denial> found = new ArrayList<>();
        sessions.computeIfPresent(
                session,
                (_, latest) -> {
                    found.addAll(latest);
                    return latest;
                });
        return found;
    }
}
