package dev.sallyport.warden;

import dev.sallyport.policy.Egress;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.StoreException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// All sandboxes, by name: what a person can ask for, and what happens without being asked. One
/// thing at a time happens to each.
final class Sandboxes {
    private static final System.Logger LOG = System.getLogger(Sandboxes.class.getName());

    private final SessionStore store;
    private final Ledger ledger;
    private final Authorities authorities;
    private final SandboxSteps steps;
    private final NameLocks locks = new NameLocks();

    Sandboxes(
            SessionStore store,
            Runtimes runtimes,
            Doors doors,
            Ledger ledger,
            Authorities authorities) {
        this.store = store;
        this.ledger = ledger;
        this.authorities = authorities;
        this.steps = new SandboxSteps(store, runtimes, doors, ledger, authorities, this::ended);
    }

    List<Session> list() throws OperationException {
        try {
            return store.all();
        } catch (StoreException e) {
            throw OperationException.failed(e);
        }
    }

    Session show(String name) throws OperationException {
        return find(SandboxNames.parse(name))
                .orElseThrow(
                        () ->
                                new OperationException(
                                        OperationException.Fault.NOT_FOUND,
                                        "There is no sandbox of this name.",
                                        "See which there are: sallyport list"));
    }

    private Optional<Session> find(String name) throws OperationException {
        try {
            return store.byName(name);
        } catch (StoreException e) {
            throw OperationException.failed(e);
        }
    }

    private Optional<Session> find(SessionId id) throws OperationException {
        try {
            return store.byId(id);
        } catch (StoreException e) {
            throw OperationException.failed(e);
        }
    }

    /// Makes the sandbox of a session that was planned. Either all of it is there afterwards, or
    /// nothing.
    Session create(Session planned) throws OperationException {
        return locks.with(
                planned.name(),
                () -> {
                    if (find(planned.name()).isPresent()) {
                        throw OperationException.conflict(
                                "There is a sandbox of this name already.",
                                "Use another name, or remove it: sallyport destroy "
                                        + planned.name());
                    }
                    return locks.withShared(planned.spec().runtime(), () -> steps.create(planned));
                });
    }

    /// Renews the idle limit, because a person asks; the absolute limit stands.
    Session start(String name) throws OperationException {
        return locks.with(
                name,
                () -> {
                    Session session = show(name);
                    if (session.state() == Session.State.RUNNING) {
                        return session;
                    }
                    Instant now = Instant.now();
                    if (!now.isBefore(session.lifetime().expires())) {
                        throw OperationException.conflict(
                                "The sandbox's session has expired for good.",
                                "Make a new one: sallyport new; then remove this one: sallyport destroy "
                                        + name);
                    }
                    return steps.start(session.usedAt(now));
                });
    }

    Session stop(String name) throws OperationException {
        return locks.with(name, () -> steps.stop(show(name), "session.stop"));
    }

    void destroy(String name) throws OperationException {
        locks.with(name, () -> steps.destroy(show(name), "session.destroy"));
    }

    /// As [#destroy(String)], unless the session is gone; another one may have its name by now.
    void destroy(SessionId id) throws OperationException {
        withSession(id, session -> steps.destroy(session, "session.destroy"));
    }

    ExecPlan exec(String name, ExecRequest request) throws OperationException {
        return steps.exec(show(name), request);
    }

    /// Changes what a session may reach.
    interface Widening {
        Egress of(Egress present) throws OperationException;
    }

    /// From the next connection on, when it returns.
    Session widen(String name, Widening widening) throws OperationException {
        return locks.with(
                name,
                () -> {
                    Session session = show(name);
                    return steps.reach(session, widening.of(session.egress()));
                });
    }

    void recordLease(Session session) throws OperationException {
        ledger.record("session.lease", session, Map.of());
    }

    /// Takes over a sandbox of an earlier warden when it is still the same, and ends it otherwise.
    void recover(Session session) throws OperationException {
        withSession(
                session.id(),
                current -> steps.isAlive(current) ? steps.reattach(current) : steps.end(current));
    }

    /// A session whose time is over loses its doors and its processes; files in a container stay
    /// until the person destroys it. Usage that came in meanwhile counts.
    void expire(Session session) throws OperationException {
        withSession(
                session.id(),
                current -> {
                    if (!current.lifetime().isOver(Instant.now())) {
                        return current;
                    }
                    return current.ephemeral()
                            ? steps.destroy(current, "session.expire")
                            : steps.stop(current, "session.expire");
                });
    }

    /// Ends a session as [#expire] does, but because somebody says so.
    void revoke(SessionId id) throws OperationException {
        withSession(
                id,
                current ->
                        current.ephemeral()
                                ? steps.destroy(current, "session.revoke")
                                : steps.stop(current, "session.revoke"));
    }

    /// The first process of a sandbox has ended, or may have. By now another may run under the same
    /// name, so the store and the kernel are asked again.
    void ended(SessionId id) {
        try {
            withSession(
                    id,
                    session ->
                            session.state() == Session.State.RUNNING && !steps.isAlive(session)
                                    ? steps.end(session)
                                    : session);
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "the end of " + id + " is not in the store", e);
        }
    }

    /// Removes what a runtime holds and no session owns. Nothing is made meanwhile, because it
    /// could be taken for an orphan.
    int sweep(SandboxRuntime runtime) throws OperationException {
        return locks.withExclusive(
                runtime.kind(),
                () -> {
                    try {
                        return runtime.sweep(
                                list().stream().map(Session::id).collect(Collectors.toSet()));
                    } catch (SandboxException e) {
                        throw OperationException.failed(e);
                    }
                });
    }

    /// Removes the keys of sessions that are gone.
    void sweepAuthorities() throws OperationException {
        try {
            Set<SessionId> kept = authorities.sessions();
            Set<SessionId> known = list().stream().map(Session::id).collect(Collectors.toSet());
            kept.stream().filter(id -> !known.contains(id)).forEach(authorities::remove);
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    private interface Step {
        Session take(Session session) throws OperationException;
    }

    private void withSession(SessionId id, Step step) throws OperationException {
        Optional<Session> found = find(id);
        if (found.isPresent()) {
            locks.with(
                    found.get().name(),
                    () -> {
                        Optional<Session> current = find(id);
                        return current.isPresent() ? step.take(current.get()) : found.get();
                    });
        }
    }
}
