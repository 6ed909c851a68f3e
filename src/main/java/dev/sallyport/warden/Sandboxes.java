package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.Identity;
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

/// The life of every sandbox: each step is recorded, then done, and undone when it fails half-way.
final class Sandboxes {
    private static final System.Logger LOG = System.getLogger(Sandboxes.class.getName());

    private final SessionStore store;
    private final Runtimes runtimes;
    private final Doors doors;
    private final Ledger ledger;
    private final NameLocks locks = new NameLocks();

    Sandboxes(SessionStore store, Runtimes runtimes, Doors doors, Ledger ledger) {
        this.store = store;
        this.runtimes = runtimes;
        this.doors = doors;
        this.ledger = ledger;
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

    /// Makes the sandbox of a session that was planned. Either all of it is there afterwards, or
    /// nothing.
    Session create(Session planned) throws OperationException {
        return locks.with(planned.name(), () -> createLocked(planned));
    }

    private Session createLocked(Session planned) throws OperationException {
        if (find(planned.name()).isPresent()) {
            throw OperationException.conflict(
                    "There is a sandbox of this name already.",
                    "Use another name, or remove it: sallyport destroy " + planned.name());
        }
        ledger.record("session.create", planned, SessionViews.facts(planned));
        try {
            store.insert(planned);
            return bringUp(planned, runtimeOf(planned).create(planned.spec()));
        } catch (IOException | SandboxException | RuntimeException e) {
            ledger.note("session.create-failed", planned, Map.of());
            remove(planned);
            throw OperationException.failed(e);
        }
    }

    private Session bringUp(Session session, Identity identity) throws IOException {
        Session running = session.running(identity);
        store.update(running);
        doors.openAndWait(running);
        watch(running);
        return running;
    }

    /// Removes what a session owns, as far as possible; what remains is swept at the next start.
    private void remove(Session session) {
        doors.close(session.id());
        try {
            Optional<Identity> identity = store.byId(session.id()).flatMap(Session::identity);
            runtimeOf(session).destroy(session.spec(), identity);
            store.delete(session.id());
        } catch (StoreException | SandboxException e) {
            LOG.log(System.Logger.Level.ERROR, "left behind: " + session.name(), e);
        }
    }

    Session start(String name) throws OperationException {
        return locks.with(name, () -> startLocked(show(name)));
    }

    private Session startLocked(Session session) throws OperationException {
        if (session.state() == Session.State.RUNNING) {
            return session;
        }
        Instant now = Instant.now();
        if (!now.isBefore(session.lifetime().expires())) {
            throw OperationException.conflict(
                    "The sandbox's session has expired for good.",
                    "Make a new one: sallyport new; then remove this: sallyport destroy "
                            + session.name());
        }
        ledger.record("session.start", session, Map.of());
        Session renewed = SessionViews.usedAt(session, now);
        try {
            return bringUp(renewed, runtimeOf(session).start(session.spec()));
        } catch (IOException | SandboxException | RuntimeException e) {
            ledger.note("session.start-failed", session, Map.of());
            halt(renewed);
            throw OperationException.failed(e);
        }
    }

    /// Undoes a start that failed half-way.
    private void halt(Session session) {
        doors.close(session.id());
        try {
            Optional<Session> stored = store.byId(session.id());
            Optional<Identity> identity = stored.flatMap(Session::identity);
            if (identity.isPresent()) {
                runtimeOf(session).stop(session.spec(), identity.get());
            }
            store.update(session.stopped());
        } catch (StoreException | SandboxException e) {
            LOG.log(System.Logger.Level.ERROR, "not stopped: " + session.name(), e);
        }
    }

    Session stop(String name) throws OperationException {
        return locks.with(name, () -> stopLocked(show(name), "session.stop"));
    }

    private Session stopLocked(Session session, String kind) throws OperationException {
        Optional<Identity> identity = session.identity();
        if (session.state() != Session.State.RUNNING || identity.isEmpty()) {
            return session;
        }
        ledger.record(kind, session, Map.of());
        doors.close(session.id());
        try {
            runtimeOf(session).stop(session.spec(), identity.get());
            store.update(session.stopped());
        } catch (StoreException | SandboxException e) {
            throw OperationException.failed(e);
        }
        return session.stopped();
    }

    void destroy(String name) throws OperationException {
        locks.with(name, () -> destroyLocked(show(name), "session.destroy"));
    }

    /// As [#destroy(String)], unless another sandbox has the name by now.
    void destroy(SessionId id) throws OperationException {
        Optional<Session> found = list().stream().filter(s -> s.id().equals(id)).findFirst();
        if (found.isPresent()) {
            locks.with(
                    found.get().name(),
                    () -> {
                        Session session = show(found.get().name());
                        return session.id().equals(id)
                                ? destroyLocked(session, "session.destroy")
                                : session;
                    });
        }
    }

    void recordLease(Session session) throws OperationException {
        ledger.record("session.lease", session, Map.of());
    }

    private Session destroyLocked(Session session, String kind) throws OperationException {
        ledger.record(kind, session, Map.of());
        doors.close(session.id());
        try {
            runtimeOf(session).destroy(session.spec(), session.identity());
            store.delete(session.id());
        } catch (StoreException | SandboxException e) {
            throw OperationException.failed(e);
        }
        return session;
    }

    ExecPlan exec(String name, ExecRequest request) throws OperationException {
        Session session = show(name);
        Identity identity = requireRunning(session);
        ledger.record("session.exec", session, SessionViews.facts(request));
        try {
            return runtimeOf(session).exec(session.spec(), identity, request);
        } catch (SandboxException e) {
            throw OperationException.failed(e);
        }
    }

    private Identity requireRunning(Session session) throws OperationException {
        Optional<Identity> identity = session.identity();
        if (session.state() != Session.State.RUNNING
                || identity.isEmpty()
                || !runtimeOf(session).isAlive(session.spec(), identity.get())) {
            throw OperationException.conflict(
                    "The sandbox is not running.", "Start it: sallyport start " + session.name());
        }
        return identity.get();
    }

    /// A running sandbox of an earlier warden: the same process is verified and gets new doors. It
    /// does not wait for the gateway. Otherwise it counts as ended.
    void reattach(Session session) throws OperationException {
        locks.with(
                session.name(),
                () -> {
                    Optional<Identity> identity = session.identity();
                    if (identity.isPresent()
                            && runtimeOf(session).isAlive(session.spec(), identity.get())) {
                        ledger.record("session.reattach", session, Map.of());
                        reopen(session);
                    } else {
                        endLocked(session);
                    }
                    return session;
                });
    }

    private void reopen(Session session) throws OperationException {
        try {
            var _ = doors.open(session);
            watch(session);
        } catch (IOException e) {
            stopLocked(session, "session.reattach-failed");
            throw OperationException.failed(e);
        }
    }

    private void watch(Session running) {
        runtimeOf(running).onEnd(running.spec(), running.identity().orElseThrow(), this::ended);
    }

    /// The first process of a sandbox has ended. By now another may run under the same name, so the
    /// store and the kernel are asked again.
    private void ended(SessionId id) {
        try {
            Optional<Session> found = store.byId(id);
            if (found.isPresent()) {
                locks.with(
                        found.get().name(),
                        () -> {
                            endUnlessAlive(id);
                            return id;
                        });
            }
        } catch (StoreException | OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "the end of " + id + " is not in the store", e);
        }
    }

    private void endUnlessAlive(SessionId id) throws OperationException {
        try {
            Optional<Session> found = store.byId(id);
            if (found.isPresent() && found.get().state() == Session.State.RUNNING) {
                Session session = found.get();
                Optional<Identity> identity = session.identity();
                if (identity.isPresent()
                        && !runtimeOf(session).isAlive(session.spec(), identity.get())) {
                    endLocked(session);
                }
            }
        } catch (StoreException e) {
            throw OperationException.failed(e);
        }
    }

    /// Ephemeral ones go, others stay as stopped.
    private void endLocked(Session session) throws OperationException {
        doors.close(session.id());
        if (session.state() == Session.State.STOPPED) {
            return;
        }
        ledger.note("session.ended", session, Map.of());
        try {
            if (session.ephemeral() || session.state() == Session.State.CREATING) {
                runtimeOf(session).destroy(session.spec(), session.identity());
                store.delete(session.id());
            } else {
                store.update(session.stopped());
            }
        } catch (StoreException | SandboxException e) {
            throw OperationException.failed(e);
        }
    }

    /// A session whose time is over loses its doors and its processes; files in a container stay
    /// until the person destroys it.
    void expire(Session session) throws OperationException {
        locks.with(
                session.name(),
                () -> {
                    Optional<Session> now = find(session.name());
                    if (now.isEmpty() || !now.get().lifetime().isOver(Instant.now())) {
                        return session;
                    }
                    return now.get().ephemeral()
                            ? destroyLocked(now.get(), "session.expire")
                            : stopLocked(now.get(), "session.expire");
                });
    }

    private SandboxRuntime runtimeOf(Session session) {
        return runtimes.of(session.spec().runtime());
    }
}
