package dev.sallyport.cli;

import dev.sallyport.audit.AuditLine;
import dev.sallyport.control.Api;
import dev.sallyport.story.LineWords;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// What `watch` knows and what of it is shown.
final class WatchState {
    static final int LINES_MAX = 2_000;

    /// Seconds that a sparkline goes back.
    static final int SPARK_SECONDS = 30;

    private final Deque<Seen> lines = new ArrayDeque<>();
    private final Map<String, Activity> activity = new HashMap<>();
    private List<Api.SandboxView> sandboxes = List.of();
    private String sandbox;
    private String search = "";
    private boolean onlyDenied;
    private boolean paused;
    private int back;
    private long missed;

    /// @param sandbox the only one to show; empty for all
    WatchState(String sandbox) {
        this.sandbox = sandbox;
    }

    /// A line, and the name of the sandbox that it is about.
    record Seen(AuditLine line, String sandbox) {
        String decision() {
            return switch (line.event().decision()) {
                case "allow" -> "allowed";
                case "deny" -> "denied";
                case "learned" -> "learned";
                default -> "";
            };
        }

        boolean isDenied() {
            return line.event().decision().equals("deny");
        }

        String text() {
            LineWords words = new LineWords(line);
            StringBuilder text = new StringBuilder(words.asked());
            words.reasons().forEach(reason -> text.append("  ").append(reason.code()));
            return text.toString();
        }
    }

    /// What one sandbox did.
    static final class Activity {
        private final long[] perSecond = new long[SPARK_SECONDS];
        private long newestSecond;
        private long allowed;
        private long denied;

        private void add(AuditLine line) {
            if (line.event().decision().isEmpty()) {
                return;
            }
            denied += line.event().decision().equals("deny") ? 1 : 0;
            allowed += line.event().decision().equals("deny") ? 0 : 1;
            long second = line.time().getEpochSecond();
            forget(second);
            if (second > newestSecond - SPARK_SECONDS) {
                perSecond[Math.floorMod(second, SPARK_SECONDS)]++;
            }
        }

        private void forget(long now) {
            long from = Math.max(newestSecond + 1, now - SPARK_SECONDS + 1);
            for (long second = from; second <= now; second++) {
                perSecond[Math.floorMod(second, SPARK_SECONDS)] = 0;
            }
            newestSecond = Math.max(newestSecond, now);
        }

        /// Decisions of each of the last seconds, oldest first.
        List<Long> lately(Instant now) {
            forget(now.getEpochSecond());
            List<Long> counts = new ArrayList<>();
            for (int i = 1; i <= SPARK_SECONDS; i++) {
                counts.add(perSecond[Math.floorMod(newestSecond + i, SPARK_SECONDS)]);
            }
            return counts;
        }

        long allowed() {
            return allowed;
        }

        long denied() {
            return denied;
        }
    }

    void add(Seen seen) {
        activity.computeIfAbsent(seen.sandbox(), _ -> new Activity()).add(seen.line());
        if (lines.size() == LINES_MAX) {
            lines.removeFirst();
        }
        lines.addLast(seen);
        boolean shown = isShown(seen);
        back += shown && (paused || back > 0) ? 1 : 0;
        missed += shown && paused ? 1 : 0;
    }

    void sandboxes(List<Api.SandboxView> now) {
        sandboxes = List.copyOf(now);
    }

    List<Api.SandboxView> sandboxes() {
        return sandboxes;
    }

    Activity activity(String name) {
        return activity.getOrDefault(name, new Activity());
    }

    private boolean isShown(Seen seen) {
        String wanted = search.toLowerCase(Locale.ROOT);
        return (sandbox.isEmpty() || sandbox.equals(seen.sandbox()))
                && (!onlyDenied || seen.isDenied())
                && (wanted.isEmpty()
                        || (seen.sandbox() + " " + seen.text())
                                .toLowerCase(Locale.ROOT)
                                .contains(wanted));
    }

    /// What fits the filters, oldest first.
    List<Seen> shown() {
        return lines.stream().filter(this::isShown).toList();
    }

    /// The line under the cursor.
    Optional<Seen> selected() {
        List<Seen> shown = shown();
        return shown.isEmpty()
                ? Optional.empty()
                : Optional.of(shown.get(shown.size() - 1 - Math.min(back, shown.size() - 1)));
    }

    /// How many lines the cursor is before the newest.
    int back() {
        return Math.min(back, Math.max(0, shown().size() - 1));
    }

    void move(int lines) {
        back = Math.clamp(back + lines, 0, Math.max(0, shown().size() - 1));
    }

    void toNewest() {
        back = 0;
    }

    void togglePause() {
        paused = !paused;
        missed = 0;
        back = paused ? back : 0;
    }

    boolean isPaused() {
        return paused;
    }

    /// How many came while it was paused.
    long missed() {
        return missed;
    }

    void toggleDenied() {
        onlyDenied = !onlyDenied;
        back = 0;
    }

    boolean isOnlyDenied() {
        return onlyDenied;
    }

    void search(String text) {
        search = text;
        back = 0;
    }

    String search() {
        return search;
    }

    /// All of them, then one after the other.
    void nextSandbox() {
        List<String> names = new ArrayList<>(List.of(""));
        sandboxes.forEach(view -> names.add(view.name()));
        sandbox = names.get((names.indexOf(sandbox) + 1) % names.size());
        back = 0;
    }

    String sandbox() {
        return sandbox;
    }
}
