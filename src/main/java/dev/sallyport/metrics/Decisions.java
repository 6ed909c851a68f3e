package dev.sallyport.metrics;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.ThinnedRecorder;
import dev.sallyport.policy.Refusal;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/// Counts lines of the record by door, decision and reason. All three come from closed lists, so
/// nothing that a sandbox or a gateway says can make there be many.
final class Decisions {
    private static final Set<String> DOORS =
            Set.of("git", "lfs", "api", "dns", "http", "egress", "port");
    private static final Set<String> SUMMARY_FACTS =
            Set.of("count", "from", "to", "first-id", "last-id");
    private static final String OTHER = "other";
    private static final String NONE = "none";

    private final Map<Key, LongAdder> counts = new ConcurrentHashMap<>();

    /// @param reason as in [Refusal#code], or `none` or `other`
    record Key(String door, String decision, String reason) {}

    void add(AuditEvent event) {
        if (event.kind().equals(ThinnedRecorder.SUMMARY)) {
            summary(event);
            return;
        }
        Map<String, String> facts = event.detail();
        String reason = facts.getOrDefault("reason", facts.getOrDefault("reason-1", ""));
        add(new Key(door(event.kind()), decision(event.decision()), reason(reason)), 1);
    }

    /// What was only counted: denials by kind and reason, reads as a whole.
    private void summary(AuditEvent event) {
        if (!event.decision().equals("deny")) {
            add(new Key("read", "allow", NONE), number(event.detail().getOrDefault("count", "0")));
            return;
        }
        event.detail()
                .forEach(
                        (what, times) -> {
                            if (!SUMMARY_FACTS.contains(what)) {
                                String reason = what.substring(what.lastIndexOf('.') + 1);
                                add(new Key(door(what), "deny", reason(reason)), number(times));
                            }
                        });
    }

    private void add(Key key, long times) {
        counts.computeIfAbsent(key, _ -> new LongAdder()).add(times);
    }

    void each(BiConsumer<Key, LongAdder> reader) {
        counts.forEach(reader);
    }

    static String door(String kind) {
        int dot = kind.indexOf('.');
        String door = dot < 0 ? kind : kind.substring(0, dot);
        return DOORS.contains(door) ? door : OTHER;
    }

    private static String decision(String decision) {
        return decision.isEmpty() ? NONE : decision;
    }

    private static String reason(String code) {
        if (code.isEmpty()) {
            return NONE;
        }
        return Refusal.of(code).map(Refusal::code).orElse(OTHER);
    }

    /// A compromised gateway could say any.
    private static long number(String text) {
        try {
            return Math.clamp(Long.parseLong(text), 0, 1L << 40);
        } catch (NumberFormatException _) {
            return 0;
        }
    }
}
