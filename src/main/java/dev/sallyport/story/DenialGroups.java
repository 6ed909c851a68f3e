package dev.sallyport.story;

import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.ThinnedRecorder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What one sandbox was denied, the same things together.
public final class DenialGroups {
    /// A sandbox chooses what it asks for: beyond this many, further ones are only counted.
    private static final int GROUPS_MAX = 1_000;

    private static final String FURTHER = "further ones, not listed singly";

    private final String sandbox;
    private final Map<String, Denial> groups = new LinkedHashMap<>();

    public DenialGroups(String sandbox) {
        this.sandbox = sandbox;
    }

    /// One thing that was denied, once or more often.
    ///
    /// @param remedy what would allow it; empty when no command does
    public record Denial(
            String subject, String reason, String remedy, long count, String first, String last) {
        Denial again(long more, String time) {
            return new Denial(subject, reason, remedy, count + more, first, time);
        }
    }

    public List<Denial> list() {
        return List.copyOf(groups.values());
    }

    public void add(AuditLine line) {
        String time = line.time().toString();
        if (line.event().kind().equals(ThinnedRecorder.SUMMARY)) {
            add(further(time), count(line.event().detail()));
            return;
        }
        for (LineWords.Reason reason : new LineWords(line).reasons()) {
            String remedy = reason.remedy(sandbox);
            add(new Denial(reason.subject(), reason.code(), remedy, 0, time, time), 1);
        }
    }

    private void add(Denial found, long more) {
        String key = key(found);
        boolean room = groups.containsKey(key) || groups.size() < GROUPS_MAX;
        Denial kept = room ? found : further(found.last());
        groups.merge(
                key(kept), kept.again(more, kept.last()), (old, _) -> old.again(more, kept.last()));
    }

    private static Denial further(String time) {
        return new Denial(FURTHER, "", "", 0, time, time);
    }

    private static String key(Denial denial) {
        return denial.subject() + "\n" + denial.reason();
    }

    private static long count(Map<String, String> facts) {
        try {
            return Long.parseLong(facts.getOrDefault("count", "1"));
        } catch (NumberFormatException _) {
            return 1;
        }
    }
}
