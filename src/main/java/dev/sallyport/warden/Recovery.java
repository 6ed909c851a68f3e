package dev.sallyport.warden;

import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.session.Session;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// What a new warden does first: takes over the sandboxes that still run, ends the rest, and sweeps
/// away what nobody knows.
record Recovery(Sandboxes sandboxes, Runtimes runtimes, Leases leases) {
    private static final System.Logger LOG = System.getLogger(Recovery.class.getName());
    private static final int AT_ONCE_MAX = 8;

    /// Before anybody can ask for anything: what runs waits for us, and an ephemeral one for its
    /// command line.
    void expect() throws OperationException {
        for (Session session : sandboxes.list()) {
            if (!session.isAtRest()) {
                if (session.ephemeral()) {
                    leases.awaitHolder(session.id());
                }
                sandboxes.expect(session);
            }
        }
    }

    /// Many at a time. Whoever asks for one of them meanwhile does not wait for the others.
    void takeOver() throws OperationException, InterruptedException {
        try (ExecutorService pool =
                Executors.newFixedThreadPool(AT_ONCE_MAX, Thread.ofVirtual().factory())) {
            for (Session session : sandboxes.list()) {
                if (sandboxes.isExpected(session)) {
                    pool.execute(() -> takeOver(session));
                }
            }
            awaitEnd(pool);
        }
    }

    /// Whoever interrupts this wants no more of them taken over.
    private static void awaitEnd(ExecutorService pool) throws InterruptedException {
        pool.shutdown();
        try {
            while (!pool.awaitTermination(1, TimeUnit.MINUTES)) {
                LOG.log(System.Logger.Level.INFO, "still taking over");
            }
        } catch (InterruptedException e) {
            pool.shutdownNow();
            throw e;
        }
    }

    private void takeOver(Session session) {
        try {
            sandboxes.recover(session);
        } catch (OperationException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot take over " + session.name(), e);
        }
    }

    /// May take as long as a container engine does.
    void sweep() {
        wakeStarted();
        try {
            sandboxes.sweepKept();
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "keys or homes of old sandboxes may be left", e);
        }
        for (SandboxRuntime runtime : runtimes.usable()) {
            try {
                int swept = sandboxes.sweep(runtime);
                if (swept > 0) {
                    LOG.log(System.Logger.Level.INFO, "orphans swept: " + swept);
                }
            } catch (OperationException e) {
                LOG.log(System.Logger.Level.ERROR, "orphans may be left", e);
            }
        }
    }

    /// Somebody may have started a stopped container while there was no warden.
    private void wakeStarted() {
        try {
            for (Session session : sandboxes.list()) {
                if (session.isAtRest()) {
                    sandboxes.check(session.id());
                }
            }
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "stopped sandboxes were not looked at", e);
        }
    }
}
