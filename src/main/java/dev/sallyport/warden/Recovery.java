package dev.sallyport.warden;

import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.session.Session;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/// What a new warden does first: takes over the sandboxes that still run, ends the rest, and sweeps
/// away what nobody knows.
record Recovery(Sandboxes sandboxes, Runtimes runtimes, Leases leases) {
    private static final System.Logger LOG = System.getLogger(Recovery.class.getName());
    private static final Set<Session.State> UNFINISHED =
            EnumSet.of(Session.State.CREATING, Session.State.RUNNING);

    void run() throws OperationException {
        for (Session session : sandboxes.list()) {
            if (UNFINISHED.contains(session.state())) {
                recover(session);
            }
        }
        sweep();
    }

    private void recover(Session session) {
        try {
            sandboxes.reattach(session);
            if (session.ephemeral()) {
                leases.awaitHolder(session.id());
            }
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot take over " + session.name(), e);
        }
    }

    private void sweep() throws OperationException {
        var known = sandboxes.list().stream().map(Session::id).collect(Collectors.toSet());
        for (SandboxRuntime runtime : runtimes.all()) {
            if (runtime.obstacle().isPresent()) {
                continue;
            }
            try {
                int swept = runtime.sweep(known);
                if (swept > 0) {
                    LOG.log(System.Logger.Level.INFO, "swept orphans: " + swept);
                }
            } catch (SandboxException e) {
                LOG.log(System.Logger.Level.ERROR, "orphans may be left", e);
            }
        }
    }
}
