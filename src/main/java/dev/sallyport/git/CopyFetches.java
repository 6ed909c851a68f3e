package dev.sallyport.git;

import dev.sallyport.confine.LowPriority;
import dev.sallyport.mirror.Mirror;
import dev.sallyport.mirror.MirrorException;
import dev.sallyport.mirror.Mirrors;
import dev.sallyport.mirror.Progress;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.JudgeQueue;
import dev.sallyport.session.LiveSession;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/// Which fetches are answered from the local copy, and who answers them. A fetch that is not goes
/// upstream as if there were no copy, so nothing ever waits for a place here: a slow reader holds
/// one of its own sandbox's few, until it has taken nothing for a while.
final class CopyFetches implements AutoCloseable {
    static final int PLACES_MAX = 32;
    static final int PLACES_PER_SANDBOX_MAX = 8;
    private static final int CLONES_MIN = 2;
    private static final int REPOSITORIES_MAX = 4_096;
    private static final long REST_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Mirrors mirrors;
    private final Map<String, Interest> interests =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Interest> eldest) {
                    return size() > REPOSITORIES_MAX;
                }
            };
    private final Map<SessionId, Integer> places = new HashMap<>();

    private static final ThreadFactory THREADS =
            Thread.ofPlatform().daemon().name("copy-", 1).factory();

    /// Platform threads, because making packs is work for a processor; below the event loops, as
    /// those that judge.
    private final ExecutorService workers =
            Executors.newCachedThreadPool(
                    work ->
                            THREADS.newThread(
                                    () -> {
                                        LowPriority.ofThisThread();
                                        work.run();
                                    }));

    private int taken;

    /// What is known of a repository since this process began.
    private static final class Interest {
        private int clones;
        private boolean pushed;
        private boolean resting;
        private long failedNanos;
    }

    CopyFetches(Mirrors mirrors) {
        this.mirrors = mirrors;
    }

    /// Whether to try; counts clones.
    synchronized boolean serves(GitPermit permit, FetchRequest request) {
        if (permit.mirror() == MirrorUse.OFF) {
            return false;
        }
        Interest interest = interest(permit);
        if (request.isClone() && interest.clones < CLONES_MIN) {
            interest.clones++;
        }
        if (!request.copyable() || isResting(interest)) {
            return false;
        }
        return switch (permit.mirror()) {
            case ON -> true;
            case OFF -> false;
            case AUTO -> interest.pushed || interest.clones >= CLONES_MIN;
        };
    }

    private static boolean isResting(Interest interest) {
        interest.resting &= System.nanoTime() - interest.failedNanos < REST_NANOS;
        return interest.resting;
    }

    private Interest interest(GitPermit permit) {
        return interests.computeIfAbsent(permit.repo().key(), _ -> new Interest());
    }

    /// Somebody pushes to it, so there is a copy anyway.
    synchronized void pushed(GitPermit permit) {
        interest(permit).pushed = true;
    }

    /// The copy, of the refs that also judge pushes, so that there is one for both. What only other
    /// refs reach is upstream's to send.
    Mirror refresh(LiveSession session, GitPermit permit, Progress progress)
            throws MirrorException, InterruptedException {
        try {
            return mirrors.refresh(permit.trustedOnly(), session.credentials(), progress);
        } catch (MirrorException e) {
            if (e.failure().status() == 0) {
                rest(permit);
            }
            throw e;
        }
    }

    /// There is no copy of it for now; upstream's refusals say nothing about that.
    synchronized void rest(GitPermit permit) {
        Interest interest = interest(permit);
        interest.resting = true;
        interest.failedNanos = System.nanoTime();
    }

    /// Runs `work` now or, when there is no place, not at all.
    synchronized Optional<JudgeQueue.Turn> submit(SessionId session, Runnable work) {
        int own = places.getOrDefault(session, 0);
        if (own >= PLACES_PER_SANDBOX_MAX || taken >= PLACES_MAX || workers.isShutdown()) {
            return Optional.empty();
        }
        JudgeQueue.Turn turn =
                new JudgeQueue.Turn(
                        () -> {
                            try {
                                work.run();
                            } finally {
                                leave(session);
                            }
                        });
        workers.execute(turn::run);
        places.put(session, own + 1);
        taken++;
        return Optional.of(turn);
    }

    private synchronized void leave(SessionId session) {
        taken--;
        places.compute(session, (_, own) -> own == null || own <= 1 ? null : own - 1);
    }

    @Override
    public synchronized void close() {
        workers.shutdownNow();
    }
}
