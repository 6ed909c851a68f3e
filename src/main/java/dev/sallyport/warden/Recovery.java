package dev.sallyport.warden;

import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.session.Session;

/// What a new warden does first: takes over the sandboxes that still run, ends the rest, and sweeps
/// away what nobody knows.
record Recovery(Sandboxes sandboxes, Runtimes runtimes, Leases leases) {
    private static final System.Logger LOG = System.getLogger(Recovery.class.getName());

    /// Before anybody can ask for anything: what runs waits for us, and an ephemeral one for its
    /// command line.
    void expect() throws OperationException {
        for (Session session : sandboxes.list()) {
            if (!session.isAtRest()) {
                if (session.ephemeral()) {
                    leases.awaitHolder(session.id());
                }
                sandboxes.arrivals().expect(session);
            }
        }
    }

    /// Many at a time. Whoever asks for one of them meanwhile does not wait for the others.
    void takeOver() throws OperationException, InterruptedException {
        AtOnce.each(
                sandboxes.list().stream().filter(sandboxes.arrivals()::isExpected).toList(),
                this::takeOver);
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
