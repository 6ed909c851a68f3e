package dev.sallyport.git;

import dev.sallyport.mirror.Progress;
import dev.sallyport.policy.RepoName;
import java.time.Duration;
import java.util.Optional;

/// What somebody who waits for a push is told, and when: soon, and then every few seconds. git asks
/// for quiet whenever it does not draw on a terminal, above all for agents. They are told too, but
/// seldom: a push that seems to hang is given up.
final class JudgingTalk {
    static final Duration FIRST = Duration.ofSeconds(2);
    static final Duration PAUSE = Duration.ofSeconds(2);
    static final Duration QUIET_PAUSE = Duration.ofSeconds(5);

    private static final int MIB = 1 << 20;
    private static final String WAITING = "waiting to judge the push";

    private final boolean quiet;
    private final long begunNanos;
    private volatile String stage = WAITING;
    private long dueNanos;

    JudgingTalk(boolean quiet, long nowNanos) {
        this.quiet = quiet;
        this.begunNanos = nowNanos;
        this.dueNanos = nowNanos + (quiet ? QUIET_PAUSE : FIRST).toNanos();
    }

    boolean isQuiet() {
        return quiet;
    }

    /// From any thread.
    void at(String text) {
        stage = text;
    }

    void waiting() {
        at(WAITING);
    }

    /// The copy that it is compared with is brought up to date.
    Progress copying(RepoName repo) {
        at("asking " + repo.host() + " for its refs");
        String what = "copying " + repo.owner() + "/" + repo.name() + " to judge the push: ";
        return (bytes, percent) -> {
            String received = what + bytes / MIB + " MiB";
            at(percent == 0 ? received : received + ", " + percent + "% indexed");
        };
    }

    /// What is to be said now, if anything is. The clock of [System#nanoTime] may be negative.
    Optional<String> due(long nowNanos) {
        if (nowNanos - dueNanos < 0) {
            return Optional.empty();
        }
        dueNanos = nowNanos + (quiet ? QUIET_PAUSE : PAUSE).toNanos();
        long seconds = Duration.ofNanos(nowNanos - begunNanos).toSeconds();
        return Optional.of(stage + " (" + seconds + " s)");
    }
}
