package dev.sallyport.git;

import dev.sallyport.mirror.Progress;
import dev.sallyport.policy.RepoName;
import java.time.Duration;
import java.util.Optional;

/// What somebody who waits for a push or a fetch is told, and when: soon, and then every few
/// seconds. git asks for quiet whenever it does not draw on a terminal, above all for agents. They
/// are told too, but seldom: a push that seems to hang is given up.
final class WaitTalk {
    /// When something is said.
    ///
    /// @param first how long nothing is said at the beginning
    /// @param pause between two lines
    /// @param quiet both, for those who asked for quiet
    /// @param tick how often it is looked whether something is due
    record Pace(Duration first, Duration pause, Duration quiet, Duration tick) {
        static final Pace STANDARD =
                new Pace(
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(1));
    }

    private static final int MIB = 1 << 20;

    private final Pace pace;
    private final boolean quiet;
    private final String waiting;
    private final String purpose;
    private final long begunNanos;
    private volatile boolean open;
    private volatile String stage;
    private long dueNanos;

    private WaitTalk(Pace pace, boolean quiet, long nowNanos, String waiting, String purpose) {
        this.pace = pace;
        this.quiet = quiet;
        this.waiting = waiting;
        this.purpose = purpose;
        this.begunNanos = nowNanos;
        this.dueNanos = nowNanos + (quiet ? pace.quiet() : pace.first()).toNanos();
        this.stage = waiting;
    }

    static WaitTalk ofPush(Pace pace, boolean quiet, long nowNanos) {
        WaitTalk talk =
                new WaitTalk(
                        pace, quiet, nowNanos, "waiting to judge the push", " to judge the push");
        talk.open = true;
        return talk;
    }

    /// Says nothing before upstream has shown its refs: until then it may refuse, which is an
    /// answer of another kind. Nor if upstream's history is cut, because its answers begin
    /// otherwise.
    static WaitTalk ofFetch(Pace pace, boolean quiet, long nowNanos) {
        return new WaitTalk(pace, quiet, nowNanos, "waiting for the copy", "");
    }

    boolean isQuiet() {
        return quiet;
    }

    Duration tick() {
        return pace.tick();
    }

    /// From any thread.
    void at(String text) {
        stage = text;
    }

    void waiting() {
        at(waiting);
    }

    /// The copy is brought up to date.
    Progress copying(RepoName repo) {
        at("asking " + repo.host() + " for its refs");
        String what = "copying " + repo.owner() + "/" + repo.name() + purpose;
        return new Progress() {
            @Override
            public void shown(boolean whole) {
                open |= whole;
                at(what);
            }

            @Override
            public void reached(long bytes, int percent) {
                String received = what + ": " + bytes / MIB + " MiB";
                at(percent == 0 ? received : received + ", " + percent + "% indexed");
            }
        };
    }

    /// What is to be said now, if anything is. The clock of [System#nanoTime] may be negative.
    Optional<String> due(long nowNanos) {
        if (!open || nowNanos - dueNanos < 0) {
            return Optional.empty();
        }
        dueNanos = nowNanos + (quiet ? pace.quiet() : pace.pause()).toNanos();
        long seconds = Duration.ofNanos(nowNanos - begunNanos).toSeconds();
        return Optional.of(stage + " (" + seconds + " s)");
    }
}
