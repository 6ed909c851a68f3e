package dev.sallyport.warden;

import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Sighting;
import dev.sallyport.session.Moment;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.Verified;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Asks who runs in a sandbox's place and draws the consequence: the same one keeps its doors, the
/// same one started anew gets new ones, anything else gets none (I1, I3). The caller holds the lock
/// of the sandbox's name.
final class IdentityChecks {
    private static final String UNASKED =
            "it was started outside Sallyport, so it has no gateway access; to use it, run sallyport start; to stop it, run sallyport stop";

    /// While a container is being restarted, engine and kernel may contradict each other.
    private static final int LOOKS_AGAIN_MAX = 4;

    private static final Duration LOOK_AGAIN_AFTER = Duration.ofMillis(250);

    private final SessionStore store;
    private final Runtimes runtimes;
    private final Ledger ledger;
    private final SandboxSteps steps;
    private final Remarks remarks;
    private final Moment.Source clock;

    IdentityChecks(
            SessionStore store,
            Runtimes runtimes,
            Ledger ledger,
            SandboxSteps steps,
            Remarks remarks,
            Moment.Source clock) {
        this.store = store;
        this.runtimes = runtimes;
        this.ledger = ledger;
        this.steps = steps;
        this.remarks = remarks;
        this.clock = clock;
    }

    /// After an event, and now and then.
    Session check(Session session) throws OperationException {
        if (session.isAtRest() && session.identity().isPresent()) {
            return steps.settle(session);
        }
        Optional<Sighting> seen = look(session);
        if (session.state() == Session.State.RUNNING) {
            seen = lookAgain(session, seen);
        }
        if (seen.isEmpty()) {
            return session;
        }
        Optional<Identity> running = seen.get().running();
        if (session.state() == Session.State.STOPPED) {
            return session;
        }
        if (session.state() == Session.State.EXITED) {
            return running.isPresent() && mayHaveDoors(session)
                    ? comeBack(session, seen.get())
                    : session;
        }
        if (running.isPresent()) {
            boolean missing = !steps.hasDoors(session) && mayHaveDoors(session);
            return running.equals(session.identity()) && !missing
                    ? confirmed(session, seen.get())
                    : comeBack(session, seen.get());
        }
        return seen.get().refused().isPresent() ? steps.shutOut(session) : steps.end(session);
    }

    /// One that is refused has no doors at once, and is looked at a few times more before it is
    /// stopped: it may only be on its way back.
    private Optional<Sighting> lookAgain(Session session, Optional<Sighting> first)
            throws OperationException {
        Optional<Sighting> seen = first;
        for (int i = 0; i < LOOKS_AGAIN_MAX && isRefused(seen); i++) {
            steps.closeDoors(session);
            try {
                Thread.sleep(LOOK_AGAIN_AFTER);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return seen;
            }
            seen = look(session);
        }
        return seen;
    }

    /// Not if only somebody else is, who took its name.
    private static boolean isRefused(Optional<Sighting> seen) {
        return seen.filter(s -> s.running().isEmpty()).flatMap(Sighting::refused).isPresent();
    }

    /// One that is over has none, even while nobody could write that down; nor has one that this
    /// gateway may not serve.
    private boolean mayHaveDoors(Session session) {
        return steps.doors().mayOpen(session.id())
                && !session.lifetime().isOver(clock.now())
                && session.caps().reached(session.usage()).isEmpty()
                && !remarks.has(session.id(), Remarks.Topic.END);
    }

    /// As [#check] by a warden that knows of no doors yet.
    Session takeOver(Session session) throws OperationException {
        Optional<Sighting> seen = look(session);
        if (seen.isPresent() && seen.get().running().isPresent()) {
            return comeBack(session, seen.get());
        }
        boolean ours = session.state() == Session.State.RUNNING;
        return ours && seen.isPresent() && seen.get().refused().isPresent()
                ? steps.shutOut(session)
                : steps.end(session);
    }

    private Optional<Sighting> look(Session session) throws OperationException {
        boolean may =
                switch (session.state()) {
                    case RUNNING, STOPPED, EXITED -> true;
                    case CREATING, ENDED -> false;
                };
        if (!may || session.verified().isEmpty()) {
            return Optional.empty();
        }
        Sighting seen = sight(session);
        Sighting alone = seen.running().isPresent() ? unshared(session, seen) : seen;
        noteRemark(session, alone);
        notePause(session, alone);
        return Optional.of(alone);
    }

    /// Two sessions in one namespace could not be told apart by their sockets.
    private Sighting unshared(Session session, Sighting seen) throws OperationException {
        long inode = seen.running().orElseThrow().netNamespaceInode();
        return OperationException.asking(
                () ->
                        store.neighbour(session.id(), inode)
                                .map(
                                        other ->
                                                Sighting.refused(
                                                        "it shares the network namespace of "
                                                                + other))
                                .orElse(seen));
    }

    /// The session as it was verified just now, if nothing about it has changed and nothing is to
    /// be done. Asks only runtime and kernel, and needs no lock: what it says is written for the
    /// sandbox that was looked at and no other.
    ///
    /// @param alone whether no other session is in its namespace
    Optional<Session> unchanged(Session session, boolean alone) {
        if (session.verified().isEmpty() || session.state() == Session.State.CREATING) {
            return Optional.of(session);
        }
        if (session.isAtRest() && session.identity().isPresent()) {
            return Optional.empty();
        }
        if (session.state() == Session.State.ENDED) {
            return Optional.of(session);
        }
        Sighting seen = sight(session);
        boolean quiet = seen.refused().isEmpty() && !remarks.has(session.id(), Remarks.Topic.PLACE);
        if (session.isAtRest()) {
            return quiet && seen.running().isEmpty() ? Optional.of(session) : Optional.empty();
        }
        boolean same =
                quiet
                        && alone
                        && seen.running().equals(session.identity())
                        && seen.paused().orElse(wasPaused(session)) == wasPaused(session)
                        && steps.hasDoors(session);
        return same ? Optional.of(session.running(verified(session, seen))) : Optional.empty();
    }

    Moment now() {
        return clock.now();
    }

    /// Writes down in one go how far the time of all has come, and who was verified again.
    void record(List<Session> looked) throws OperationException {
        OperationException.doing(() -> store.recordLook(looked, clock.now()));
    }

    private Sighting sight(Session session) {
        steps.follow(session);
        return runtimes.of(session.spec().runtime())
                .look(session.spec(), session.verified().orElseThrow().identity());
    }

    private void noteRemark(Session session, Sighting seen) {
        boolean unasked = session.state() == Session.State.STOPPED && seen.running().isPresent();
        Optional<String> remark = unasked ? Optional.of(UNASKED) : seen.refused();
        if (remark.isEmpty()) {
            remarks.forget(session.id(), Remarks.Topic.PLACE);
        } else if (remarks.put(session.id(), Remarks.Topic.PLACE, remark.get())) {
            ledger.note(
                    unasked ? "session.start-ignored" : "session.identity-refused",
                    session,
                    Map.of("reason", remark.get()));
        }
    }

    /// It keeps its doors: nothing in it can use them, and connections that are open go on later.
    private void notePause(Session session, Sighting seen) {
        boolean paused = wasPaused(session);
        if (session.state() == Session.State.RUNNING
                && seen.running().isPresent()
                && seen.paused().orElse(paused) != paused) {
            ledger.note(paused ? "session.unpause" : "session.pause", session, Map.of());
        }
    }

    private static boolean wasPaused(Session session) {
        return session.verified().filter(Verified::paused).isPresent();
    }

    private Session confirmed(Session session, Sighting seen) throws OperationException {
        Session confirmed = session.running(verified(session, seen));
        OperationException.doing(() -> store.update(confirmed));
        return confirmed;
    }

    private Session comeBack(Session session, Sighting seen) {
        return steps.reattach(session, verified(session, seen));
    }

    private Verified verified(Session session, Sighting seen) {
        return new Verified(
                seen.running().orElseThrow(),
                seen.by(),
                session.lifetime().at(clock.now()),
                seen.paused().orElse(wasPaused(session)));
    }
}
