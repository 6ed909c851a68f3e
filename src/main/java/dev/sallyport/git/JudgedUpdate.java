package dev.sallyport.git;

import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import dev.sallyport.push.Objection;
import dev.sallyport.upstream.Failure;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// A command of a push and what there is against it.
///
/// @param wireName the ref as the sandbox wrote it, one character for each byte
record JudgedUpdate(RefUpdate update, String wireName, List<Objection> objections) {
    JudgedUpdate {
        objections = List.copyOf(objections);
    }

    private JudgedUpdate(RefUpdate update, List<Objection> objections) {
        this(
                update,
                new String(
                        update.ref().value().getBytes(StandardCharsets.UTF_8),
                        StandardCharsets.ISO_8859_1),
                objections);
    }

    /// One whose ref has a name that is not accepted.
    ///
    /// @param shown says it in characters that are
    static JudgedUpdate misnamed(RefUpdate shown, String wireName) {
        return new JudgedUpdate(
                shown,
                wireName,
                List.of(new Objection(shown.ref(), Refusal.REF_NAME_NOT_ALLOWED, "")));
    }

    /// By name alone. Every command is judged, whatever the ones before it were (CVE-2025-54583).
    static List<JudgedUpdate> byName(GitPermit permit, List<RefUpdate> updates) {
        return updates.stream()
                .map(
                        update ->
                                Policy.objection(permit, update)
                                        .map(reason -> against(update, Failure.of(reason)))
                                        .orElseGet(() -> new JudgedUpdate(update, List.of())))
                .toList();
    }

    /// By what the judge found.
    static List<JudgedUpdate> byContent(List<RefUpdate> updates, List<Objection> objections) {
        return updates.stream()
                .map(
                        update ->
                                new JudgedUpdate(
                                        update,
                                        objections.stream()
                                                .filter(o -> o.ref().equals(update.ref()))
                                                .toList()))
                .toList();
    }

    /// One reason against all of them.
    static List<JudgedUpdate> all(List<RefUpdate> updates, Refusal reason) {
        return all(updates, Failure.of(reason));
    }

    /// The same, and what it is about.
    static List<JudgedUpdate> all(List<RefUpdate> updates, Refusal reason, String detail) {
        return updates.stream()
                .map(u -> new JudgedUpdate(u, List.of(new Objection(u.ref(), reason, detail))))
                .toList();
    }

    static List<JudgedUpdate> all(List<RefUpdate> updates, Failure failure) {
        return updates.stream().map(update -> against(update, failure)).toList();
    }

    private static JudgedUpdate against(RefUpdate update, Failure failure) {
        Objection objection = new Objection(update.ref(), failure.reason(), failure.detail());
        return new JudgedUpdate(update, List.of(objection));
    }

    Optional<Objection> first() {
        return objections.stream().findFirst();
    }
}
