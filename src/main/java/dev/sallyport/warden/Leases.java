package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Job;
import dev.sallyport.sandbox.SandboxException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Ties ephemeral sandboxes and jobs to control connections: a sandbox whose connection is gone is
/// destroyed, a job ended. Closing a socket is the one thing that even a killed command line does.
final class Leases {
    private static final System.Logger LOG = System.getLogger(Leases.class.getName());

    /// How long the sandboxes of an earlier warden wait for their command line to come back.
    private static final Duration GRACE = Duration.ofSeconds(10);

    /// What a lease hangs on. Once closed it stays closed.
    interface Holder {
        boolean isOpen();
    }

    /// How a session is ended.
    interface Ending {
        void destroy(SessionId session) throws OperationException;
    }

    /// Holds what survived its warden until somebody else does. An object of its own, because
    /// leases are told apart by their holders.
    private final Holder nobody =
            new Holder() {
                @Override
                public boolean isOpen() {
                    return true;
                }
            };

    private final Ending ending;
    private final Duration grace;
    private final Map<SessionId, Holder> holders = new ConcurrentHashMap<>();
    private final Map<Job, Holder> jobs = new ConcurrentHashMap<>();
    private volatile boolean leaving;

    Leases(Ending ending) {
        this(ending, GRACE);
    }

    Leases(Ending ending, Duration grace) {
        this.ending = ending;
        this.grace = grace;
    }

    /// From now on the sandbox lives as long as `holder`, which may be over already.
    void hold(SessionId session, Holder holder) {
        holders.put(session, holder);
        if (!holder.isOpen()) {
            release(holder);
        }
    }

    /// From now on the job runs as long as `holder`, or until it ends by itself.
    void hold(Job job, Holder holder) {
        jobs.put(job, holder);
        if (!holder.isOpen()) {
            release(holder);
        }
    }

    /// The holder's jobs have ended by themselves: what they left in the background may stay, also
    /// in sessions of its own.
    void done(Holder holder) {
        jobs.values().removeIf(holder::equals);
    }

    boolean holdsAny(Holder holder) {
        return holders.containsValue(holder) || jobs.containsValue(holder);
    }

    /// The warden ends and sandboxes stay. From now on a connection that closes does not tell that
    /// a command line is gone: the warden closes all of them itself. Those that live take their
    /// leases again from the next warden.
    void leave() {
        leaving = true;
    }

    /// The holder is gone, and with it all that hung on it. Blocks until they have ended, of which
    /// none waits for another.
    void release(Holder holder) {
        if (leaving) {
            return;
        }
        List<Thread> ends = new ArrayList<>();
        jobs.forEach(
                (job, current) -> {
                    if (current.equals(holder) && jobs.remove(job, current)) {
                        ends.add(Thread.ofVirtual().start(() -> end(job)));
                    }
                });
        holders.forEach(
                (session, current) -> {
                    if (current.equals(holder) && holders.remove(session, current)) {
                        ends.add(Thread.ofVirtual().start(() -> destroy(session)));
                    }
                });
        try {
            for (Thread end : ends) {
                end.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// For a sandbox that survived its warden.
    void awaitHolder(SessionId session) {
        holders.put(session, nobody);
    }

    /// Called when command lines can connect again: only from then on do those run out that nobody
    /// comes back for.
    void beginGrace() {
        Thread.ofVirtual()
                .name("leases-grace")
                .start(
                        () -> {
                            try {
                                Thread.sleep(grace);
                                release(nobody);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private static void end(Job job) {
        try {
            job.end();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "its sandbox is gone: " + job, e);
        } catch (SandboxException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "not ended with its lease: " + job, e);
        }
    }

    private void destroy(SessionId session) {
        try {
            ending.destroy(session);
        } catch (OperationException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "not destroyed with its lease: " + session, e);
        }
    }
}
