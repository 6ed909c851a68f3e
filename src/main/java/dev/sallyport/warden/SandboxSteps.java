package dev.sallyport.warden;

import dev.sallyport.credential.Authority;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.HostMount;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.session.Lifetime;
import dev.sallyport.session.Moment;
import dev.sallyport.session.PublishedPort;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.StoreException;
import dev.sallyport.session.Verified;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// The single steps in a sandbox's life: each is recorded, then done, and undone when it fails
/// half-way. The caller holds the lock of the sandbox's name.
///
/// @param changed told when the first process of a sandbox has ended, or something else may have
///   happened to it
record SandboxSteps(
        SessionStore store,
        Runtimes runtimes,
        Homes homes,
        Doors doors,
        Ledger ledger,
        Authorities authorities,
        Remarks remarks,
        Moment.Source clock,
        Consumer<SessionId> changed) {
    private static final System.Logger LOG = System.getLogger(SandboxSteps.class.getName());
    static final String NO_DOORS = "it runs without gateway access until this is fixed: ";

    Session create(Session planned) throws OperationException {
        ledger.record("session.create", planned, SessionViews.facts(planned));
        for (HostMount mount : planned.spec().mounts().extra()) {
            if (mount.unsafe()) {
                ledger.record("session.unsafe-mount", planned, SessionViews.facts(mount));
            }
        }
        for (PublishedPort port : planned.published()) {
            ledger.record("session.publish", planned, RightsSteps.facts(port));
        }
        try {
            FaultPoint.RECORDED.reached();
            Session session = stored(planned);
            FaultPoint.STORED.reached();
            return homes.during(
                    session, () -> bringUp(session, runtimeOf(session).create(session.spec())));
        } catch (IOException | SandboxException | OperationException | RuntimeException e) {
            ledger.note("session.create-failed", planned, Map.of());
            remove(planned);
            throw OperationException.failed(e);
        }
    }

    private Session stored(Session planned) throws IOException {
        Optional<Authority> authority =
                planned.isCarried() ? Optional.empty() : Authorities.make(planned);
        Session session = authority.map(a -> planned.trusting(a.certificatePem())).orElse(planned);
        store.insert(session);
        if (authority.isPresent()) {
            authorities.keep(session.id(), authority.get());
        }
        return session;
    }

    private Session bringUp(Session session, Identity identity)
            throws IOException, OperationException {
        FaultPoint.MADE.reached();
        Session running =
                session.running(
                        new Verified(
                                identity,
                                "the daemon, at start",
                                session.lifetime().at(clock.now())));
        store.update(running);
        FaultPoint.IDENTIFIED.reached();
        doors.openAndWait(running);
        FaultPoint.OPENED.reached();
        watch(running);
        return running;
    }

    private void watch(Session running) {
        runtimeOf(running).onEnd(running.spec(), running.identity().orElseThrow(), changed);
        follow(running);
    }

    /// Learns from now on what happens to the sandbox behind our back.
    void follow(Session session) {
        runtimeOf(session).onChange(session.spec(), changed);
    }

    /// Removes what a session owns, as far as possible; what remains is swept later.
    private void remove(Session session) {
        doors.close(session.id());
        try {
            Optional<Identity> identity = store.byId(session.id()).flatMap(Session::identity);
            discard(session, identity);
        } catch (StoreException | SandboxException e) {
            LOG.log(System.Logger.Level.ERROR, "left behind: " + session.name(), e);
        }
    }

    private void discard(Session session, Optional<Identity> identity)
            throws StoreException, SandboxException {
        runtimeOf(session).destroy(session.spec(), identity);
        doors.sidecars().end(session);
        store.delete(session.id());
        homes.gone(session);
        authorities.remove(session.id());
        remarks.forget(session.id());
    }

    Session start(Session stopped) throws OperationException {
        SandboxRuntime runtime = runtimes.requireOpen(stopped.spec().runtime());
        ledger.record("session.start", stopped, Map.of());
        remarks.forget(stopped.id());
        try {
            Optional<Identity> before = stopped.verified().map(Verified::identity);
            return homes.during(
                    stopped, () -> bringUp(stopped, runtime.start(stopped.spec(), before)));
        } catch (IOException | SandboxException | OperationException | RuntimeException e) {
            ledger.note("session.start-failed", stopped, Map.of());
            undoStart(stopped);
            throw OperationException.failed(e);
        }
    }

    /// Undoes a start that failed half-way.
    private void undoStart(Session session) {
        doors.close(session.id());
        try {
            Optional<Identity> identity = store.byId(session.id()).flatMap(Session::identity);
            if (identity.isPresent()) {
                runtimeOf(session).stop(session.spec(), identity.get());
            }
            store.update(session.stopped());
        } catch (StoreException | SandboxException e) {
            LOG.log(System.Logger.Level.ERROR, "not stopped: " + session.name(), e);
        }
    }

    /// @param kind what it is recorded as
    Session stop(Session session, String kind, Map<String, String> detail)
            throws OperationException {
        remarks.forget(session.id(), Remarks.Topic.PLACE);
        return switch (session.state()) {
            case RUNNING, EXITED, STOPPED -> halt(session, session.stopped(), kind, detail);
            case ENDED -> halt(session, session, kind, detail);
            case CREATING -> session;
        };
    }

    /// Ends a session for good; the container stays until it is destroyed.
    ///
    /// @param kind what it is recorded as
    Session finish(Session session, String kind, Map<String, String> detail)
            throws OperationException {
        remarks.forget(session.id(), Remarks.Topic.PLACE);
        return halt(session, session.ended(), kind, detail);
    }

    /// The store first: when it cannot say that the sandbox has stopped, nothing has happened. Then
    /// the session is over, whether its runtime answers or not, and is asked again later.
    private Session halt(Session session, Session halted, String kind, Map<String, String> detail)
            throws OperationException {
        ledger.record(kind, session, detail);
        Session halting = halting(session, halted);
        try {
            store.update(halting);
        } catch (StoreException e) {
            ledger.note("session.stop-failed", session, Map.of("reason", reason(e)));
            throw OperationException.failed(e);
        }
        return halted(halting);
    }

    private static Session halting(Session session, Session halted) {
        return halted.known(
                session.identity().or(() -> session.verified().map(Verified::identity)));
    }

    private Session halted(Session halting) throws OperationException {
        doors.close(halting.id());
        if (halting.state() == Session.State.ENDED) {
            doors.sidecars().end(halting);
        } else {
            doors.sidecars().release(halting);
        }
        remarks.forget(halting.id(), Remarks.Topic.DOORS);
        remarks.forget(halting.id(), Remarks.Topic.END);
        return settle(halting);
    }

    /// Stops it, or removes an ephemeral one, because the warden ends. Nothing holds that up: what
    /// cannot be written is logged, and the next warden finds that the sandbox is at rest.
    Session leave(Session session) throws OperationException {
        if (session.ephemeral()) {
            ledger.note("session.destroy", session, Map.of());
            return destroyed(session);
        }
        if (session.state() == Session.State.CREATING) {
            return session;
        }
        ledger.note("session.stop", session, Map.of());
        boolean isOver = session.state() == Session.State.ENDED;
        Session halting = halting(session, isOver ? session : session.stopped());
        storeIfPossible(halting);
        return halted(halting);
    }

    /// Ends what is left of a sandbox that the store says is at rest. Whether somebody else started
    /// one that was, only its runtime knows, so it is told to stop it in any case.
    Session settle(Session halting) throws OperationException {
        Optional<Identity> left = halting.identity();
        if (left.isPresent()) {
            OperationException.doing(() -> runtimeOf(halting).stop(halting.spec(), left.get()));
        }
        Session halted = halting.known(Optional.empty());
        // It says already that the sandbox is at rest, or it is looked at again later.
        storeIfPossible(halted);
        homes.left(halted);
        return halted;
    }

    /// For an end that nothing may hold up: it has no doors from now on, whether the rest succeeds
    /// or not.
    void shut(Session session) {
        doors.close(session.id());
        remarks.put(
                session.id(),
                Remarks.Topic.END,
                "it has ended and has no gateway access, but this could not be saved yet");
        runtimeOf(session).condemn(session.spec());
    }

    private static String reason(Exception e) {
        return String.valueOf(e.getMessage());
    }

    /// Until it is known again what runs there.
    void closeDoors(Session session) {
        doors.close(session.id());
    }

    /// Ends the processes of a sandbox that is no longer what was verified. Why is in the record
    /// already. It comes back when it is started and is what it was.
    Session shutOut(Session session) throws OperationException {
        doors.close(session.id());
        return session.ephemeral()
                ? destroy(session, "session.destroy", Map.of())
                : halt(session, session.exited(), "session.stop", Map.of());
    }

    Session extend(Session session, Lifetime longer) throws OperationException {
        Session extended = session.living(longer);
        ledger.record(
                "session.extend",
                extended,
                Map.of(
                        "expires", longer.expires().toString(),
                        "idle-end", longer.idleEnd().toString()));
        OperationException.doing(() -> store.update(extended));
        doors.change(extended);
        return extended;
    }

    /// As [#destroy], because the person says so.
    void abolish(Session session) throws OperationException {
        ledger.record("session.destroy", session, Map.of());
        runtimeOf(session).condemn(session.spec());
        destroyed(session);
    }

    /// @param kind what it is recorded as
    Session destroy(Session session, String kind, Map<String, String> detail)
            throws OperationException {
        ledger.record(kind, session, detail);
        return destroyed(session);
    }

    private Session destroyed(Session session) throws OperationException {
        doors.close(session.id());
        OperationException.doing(() -> discard(session, session.identity()));
        return session;
    }

    ExecPlan exec(Session session, ExecRequest request) throws OperationException {
        Optional<Identity> identity = session.identity();
        if (identity.isEmpty() || !isAlive(session)) {
            throw OperationException.conflict(
                    "The sandbox is not running.", "Start it: sallyport start " + session.name());
        }
        ledger.record("session.exec", session, SessionViews.facts(request));
        try {
            ExecRequest inside = request.over(ApiVariables.of(session.policy(), request.tty()));
            return runtimeOf(session).exec(session.spec(), identity.get(), inside);
        } catch (SandboxException e) {
            throw OperationException.refused(e);
        }
    }

    /// Gives new doors to a sandbox that runs and was verified: its warden died, it was started
    /// anew by somebody else, or it had none. Does not wait for the gateway. One whose doors cannot
    /// be opened, such as for a secret that cannot be read, runs on without until they can.
    Session reattach(Session session, Verified verified) {
        Session running = session.running(verified);
        doors.close(session.id());
        try {
            var _ =
                    doors.open(
                            running,
                            () -> {
                                Map<String, String> facts = SessionViews.facts(session, verified);
                                ledger.record("session.reattach", running, facts);
                                storeUnlessKnown(session, running);
                            });
            remarks.forget(running.id(), Remarks.Topic.DOORS);
        } catch (IOException | OperationException e) {
            withoutDoors(running, reason(e));
        }
        watch(running);
        return running;
    }

    /// When it was verified is written with the next look at all of them.
    private void storeUnlessKnown(Session before, Session running) throws StoreException {
        boolean known =
                before.state() == Session.State.RUNNING
                        && before.identity().equals(running.identity())
                        && before.isPaused() == running.isPaused();
        if (!known) {
            store.update(running);
        }
    }

    /// Why is recorded once, however often its doors are tried.
    private void withoutDoors(Session running, String reason) {
        LOG.log(System.Logger.Level.ERROR, running.name() + " has no doors: " + reason);
        if (remarks.put(running.id(), Remarks.Topic.DOORS, NO_DOORS + reason)) {
            ledger.note("session.reattach-failed", running, Map.of("reason", reason));
        }
        storeIfPossible(running);
    }

    private void storeIfPossible(Session session) {
        try {
            store.update(session);
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.ERROR, "not in the store: " + session.name(), e);
        }
    }

    /// Draws the consequence of a first process that has ended: an ephemeral or unfinished sandbox
    /// goes, another stays and may come back.
    Session end(Session session) throws OperationException {
        doors.close(session.id());
        remarks.forget(session.id(), Remarks.Topic.DOORS);
        if (session.isAtRest()) {
            return session;
        }
        ledger.note("session.ended", session, Map.of());
        try {
            if (session.ephemeral() || session.state() == Session.State.CREATING) {
                discard(session, session.identity());
            } else {
                store.update(session.exited());
            }
        } catch (StoreException | SandboxException e) {
            throw OperationException.failed(e);
        }
        return session;
    }

    boolean hasDoors(Session session) {
        return doors.areOpen(session.id());
    }

    boolean isAlive(Session session) {
        return session.state() == Session.State.RUNNING
                && session.identity()
                        .filter(identity -> runtimeOf(session).isAlive(session.spec(), identity))
                        .isPresent();
    }

    private SandboxRuntime runtimeOf(Session session) {
        return runtimes.of(session.spec().runtime());
    }
}
