package dev.sallyport.relay;

import dev.sallyport.confine.LowPriority;
import dev.sallyport.policy.SessionId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/// Who is judged when. Each sandbox has one push, one fetch of which the wants are checked, or one
/// query in the hands of the workers, so that many of one sandbox cannot make those of another
/// wait.
public final class JudgeQueue implements AutoCloseable {
    private final ExecutorService workers;

    private final Map<SessionId, Deque<Turn>> bySandbox = new HashMap<>();

    /// Something that will run, even when it is cancelled: it then finds its thread interrupted,
    /// and can put away what it was given.
    public static final class Turn {
        private final Runnable work;
        private @Nullable Thread worker;
        private boolean cancelled;

        public Turn(Runnable work) {
            this.work = work;
        }

        public synchronized void cancel() {
            cancelled = true;
            if (worker != null) {
                worker.interrupt();
            }
        }

        public void run() {
            begin();
            try {
                work.run();
            } finally {
                end();
            }
        }

        private synchronized void begin() {
            worker = Thread.currentThread();
            if (cancelled) {
                worker.interrupt();
            }
        }

        private synchronized void end() {
            worker = null;
            var _ = Thread.interrupted();
        }
    }

    /// Platform threads, because judging is work for a processor and would hold up everything that
    /// shares carriers with it; below the event loops, which have something for everybody.
    public JudgeQueue(String name, int workersMax) {
        ThreadFactory threads = Thread.ofPlatform().daemon().name(name + "-", 1).factory();
        workers =
                Executors.newFixedThreadPool(
                        workersMax,
                        work ->
                                threads.newThread(
                                        () -> {
                                            LowPriority.ofThisThread();
                                            work.run();
                                        }));
    }

    /// How many are in hand or wait.
    public synchronized int size() {
        return bySandbox.values().stream().mapToInt(Deque::size).sum();
    }

    /// Runs `work` when what the sandbox submitted before is done.
    public synchronized Turn submit(SessionId session, Runnable work) {
        Turn turn = new Turn(work);
        Deque<Turn> line = bySandbox.computeIfAbsent(session, _ -> new ArrayDeque<>());
        line.add(turn);
        if (line.size() == 1) {
            workers.execute(() -> runFirst(session, turn));
        }
        return turn;
    }

    /// The first in line stays there while it runs.
    private void runFirst(SessionId session, Turn first) {
        try {
            first.run();
        } finally {
            next(session);
        }
    }

    private synchronized void next(SessionId session) {
        Deque<Turn> line = bySandbox.getOrDefault(session, new ArrayDeque<>());
        line.poll();
        Turn next = line.peek();
        if (next == null) {
            bySandbox.remove(session);
        } else {
            workers.execute(() -> runFirst(session, next));
        }
    }

    @Override
    public void close() {
        workers.shutdownNow();
    }
}
