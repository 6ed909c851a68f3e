package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.session.Lifetime;
import dev.sallyport.session.Moment;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.SessionStore.DamagedRow;
import dev.sallyport.session.Usage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All sandboxes, by name: what a person can ask for, and what happens without being asked. One
/// thing at a time happens to each.
final class Sandboxes {
    private static final System.Logger LOG = System.getLogger(Sandboxes.class.getName());
    private static final String IDLE = "idle limit";

    private final SessionStore store;
    private final Ledger ledger;
    private final Authorities authorities;
    private final SandboxSteps steps;
    private final RightsSteps rights;
    private final IdentityChecks checks;
    private final Remarks remarks = new Remarks();
    private final Moment.Source clock;
    private final NameLocks locks = new NameLocks();

    private final Arrivals arrivals = new Arrivals();
    private final DamagedSessions damaged;
    private final HomeWatch homeWatch;
    private final Elsewhere elsewhere;

    Sandboxes(
            SessionStore store,
            Runtimes runtimes,
            Homes homes,
            Doors doors,
            Ledger ledger,
            Authorities authorities,
            Moment.Source clock) {
        this.store = store;
        this.ledger = ledger;
        this.authorities = authorities;
        this.clock = clock;
        this.steps =
                new SandboxSteps(
                        store,
                        runtimes,
                        homes,
                        doors,
                        ledger,
                        authorities,
                        remarks,
                        clock,
                        this::check);
        this.rights = new RightsSteps(store, doors, ledger);
        this.damaged = new DamagedSessions(store, runtimes, doors, ledger, locks);
        this.elsewhere = new Elsewhere(store.others(), store.leases());
        this.homeWatch = new HomeWatch(homes, remarks, ledger);
        this.checks = new IdentityChecks(store, runtimes, ledger, steps, remarks, clock);
    }

    List<Session> list() throws OperationException {
        return contents().sessions();
    }

    /// Also those that cannot be read, which have no doors from now on.
    SessionStore.Contents contents() throws OperationException {
        SessionStore.Contents all = OperationException.asking(store::contents);
        damaged.setAside(all.damaged());
        return all;
    }

    Session show(String name) throws OperationException {
        if (arrivals.expected(name).isPresent()) {
            locked(name, () -> name);
        }
        return find(SandboxNames.parseAny(name)).orElseThrow(() -> elsewhere.absent(name));
    }

    /// Those that other gateways have.
    Elsewhere elsewhere() {
        return elsewhere;
    }

    private Optional<Session> find(String name) throws OperationException {
        return OperationException.asking(() -> store.byName(name)).filter(arrivals::isThere);
    }

    Optional<Session> find(SessionId id) throws OperationException {
        return OperationException.asking(() -> store.byId(id)).filter(arrivals::isThere);
    }

    /// Makes the sandbox of a session that was planned. Either all of it is there afterwards, or
    /// nothing.
    Session create(Session planned) throws OperationException {
        return locked(
                planned.name(),
                () -> {
                    if (find(planned.name()).isPresent()) {
                        throw OperationException.conflict(
                                "The sandbox " + planned.name() + " already exists.",
                                "Use another name, or remove it: sallyport destroy "
                                        + planned.name());
                    }
                    elsewhere.requireFree(planned.name());
                    return locks.withShared(planned.spec().runtime(), () -> steps.create(planned));
                });
    }

    /// Renews the idle limit, because a person asks; the absolute limit and the caps stand.
    Session start(String name) throws OperationException {
        return change(
                name,
                session -> {
                    if (session.state() == Session.State.RUNNING) {
                        return session;
                    }
                    requireLife(session);
                    return steps.start(session.living(session.lifetime().usedAt(clock.now())));
                });
    }

    /// Later limits for a session that is not over: what has ended is never revived.
    ///
    /// @param asked how long from now; the usual length when absent
    Session extend(String name, Optional<Duration> asked) throws OperationException {
        return change(
                name,
                session -> {
                    requireLife(session);
                    Lifetime life = session.lifetime();
                    Moment now = clock.now();
                    if (asked.isPresent()
                            && life.at(now).plus(asked.get()).isAfter(life.latest())) {
                        throw OperationException.invalid(
                                "This sandbox cannot be extended beyond " + life.latest() + ".",
                                "Ask for less, or raise sessions: in policy.yaml for new sandboxes.");
                    }
                    Duration more = asked.orElse(Lifetime.ABSOLUTE_LIMIT_DEFAULT);
                    return steps.extend(session, life.extended(now, more));
                });
    }

    private void requireLife(Session session) throws OperationException {
        if (session.state() == Session.State.ENDED
                || session.lifetime().isExpired(clock.now())
                || session.caps().reached(session.usage()).isPresent()) {
            throw ended(session);
        }
    }

    private static OperationException ended(Session session) {
        return OperationException.conflict(
                "The session of this sandbox has ended for good.",
                "Create a new one: sallyport new; then remove this one: sallyport destroy "
                        + session.name());
    }

    /// Of a sandbox that may be asked for something, now or when it is started.
    Session living(String name) throws OperationException {
        Session session = show(name);
        if (session.state() == Session.State.ENDED) {
            throw ended(session);
        }
        return session;
    }

    /// Over for good, because the person says so.
    Session end(String name) throws OperationException {
        return locked(name, () -> steps.finish(show(name), "session.end", Map.of()));
    }

    /// Also what we stopped before: somebody else may have started it since.
    Session stop(String name) throws OperationException {
        return locked(name, () -> steps.stop(show(name), "session.stop", Map.of()));
    }

    /// Stops it, or removes an ephemeral one, because the warden ends.
    void leave(SessionId id) throws OperationException {
        change(id, steps::leave);
    }

    Remarks remarks() {
        return remarks;
    }

    void destroy(String name) throws OperationException {
        locked(
                name,
                () -> {
                    Optional<DamagedRow> row = damaged.find(name);
                    if (row.isPresent()) {
                        damaged.destroy(row.get());
                    } else {
                        steps.abolish(show(name));
                    }
                    return name;
                });
    }

    /// As [#destroy(String)], unless the session is gone; another one may have its name by now.
    void destroy(SessionId id) throws OperationException {
        change(id, session -> steps.destroy(session, "session.destroy", Map.of()));
    }

    ExecPlan exec(String name, ExecRequest request) throws OperationException {
        return steps.exec(living(name), request);
    }

    /// What happens to one session, under the lock of its name.
    interface Change {
        Session of(Session present) throws OperationException;
    }

    Session change(String name, Change change) throws OperationException {
        return locked(name, () -> change.of(show(name)));
    }

    RightsSteps rights() {
        return rights;
    }

    /// Whether the gateway shares a repository's objects with a sandbox, in a directory that is
    /// mounted there, if there is one. It may have to fetch them first.
    boolean lend(Session session, String repo, Optional<Path> directory) throws OperationException {
        ledger.record("session.share", session, Map.of("repo", repo));
        return directory.isPresent() && steps.doors().lend(session.id(), repo, directory.get());
    }

    void recordLease(Session session) throws OperationException {
        ledger.record("session.lease", session, Map.of());
    }

    Arrivals arrivals() {
        return arrivals;
    }

    /// Returns when it has been taken over, by whomever.
    void recover(Session session) throws OperationException {
        locked(session.name(), () -> session);
    }

    /// What happens to one sandbox happens in order, and after it was taken over.
    private <T> T locked(String name, NameLocks.Work<T> work) throws OperationException {
        return locks.with(
                name,
                () -> {
                    Optional<SessionId> id = arrivals.expected(name);
                    if (id.isPresent()) {
                        takeOver(id.get());
                        arrivals.tookOver(name);
                    }
                    return work.run();
                });
    }

    /// Takes over a sandbox of an earlier warden when it is still the same, and ends it otherwise.
    /// One that is over gets no doors again.
    private void takeOver(SessionId id) {
        try {
            FaultPoint.TAKING_OVER.reached();
            Optional<Session> found = find(id);
            if (found.isPresent()) {
                Session current = found.get();
                Optional<String> over = over(current, current.usage());
                if (current.state() == Session.State.RUNNING && over.isPresent()) {
                    finish(current, over.get());
                } else {
                    checks.takeOver(current);
                }
            }
        } catch (OperationException | IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot take over " + id, e);
        }
    }

    /// Ends a session for good because a secret of its was given up; an ephemeral one goes.
    void revoke(SessionId id) throws OperationException {
        change(
                id,
                current -> {
                    steps.shut(current);
                    return current.ephemeral()
                            ? steps.destroy(current, "session.revoke", Map.of())
                            : steps.finish(current, "session.revoke", Map.of());
                });
    }

    /// A session whose time is over or whose caps are used up loses its doors and its processes;
    /// files in a container stay until the person destroys it. Usage that came in meanwhile counts.
    ///
    /// @param used all that it has used, whether it is in the store or not
    void expire(SessionId id, Usage used) throws OperationException {
        change(
                id,
                current -> {
                    Optional<String> over = over(current, used);
                    return over.isPresent() ? finish(current, over.get()) : current;
                });
    }

    /// Why it is over, if it is.
    Optional<String> over(Session session, Usage used) {
        // Of one with its gateway elsewhere, that machine counts what it uses.
        if (session.state() == Session.State.ENDED
                || session.state() == Session.State.CREATING
                || session.isCarried()) {
            return Optional.empty();
        }
        Optional<String> cap = session.caps().reached(used);
        if (cap.isPresent()) {
            return cap;
        }
        if (session.lifetime().isExpired(clock.now())) {
            return Optional.of("absolute limit");
        }
        boolean idle = session.lifetime().isOver(clock.now());
        return idle && session.state() == Session.State.RUNNING
                ? Optional.of(IDLE)
                : Optional.empty();
    }

    private Session finish(Session session, String reason) throws OperationException {
        steps.shut(session);
        Map<String, String> detail = Map.of("reason", reason);
        if (session.ephemeral()) {
            return steps.destroy(session, "session.expire", detail);
        }
        return reason.equals(IDLE)
                ? steps.stop(session, "session.expire", detail)
                : steps.finish(session, "session.expire", detail);
    }

    /// Those inside are told when it ends soon.
    void tell(SessionId id) throws OperationException {
        change(
                id,
                current -> {
                    steps.doors().change(current);
                    return current;
                });
    }

    HomeWatch homeWatch() {
        return homeWatch;
    }

    IdentityChecks checks() {
        return checks;
    }

    /// Something may have happened to a sandbox, such as the end of its first process. By now
    /// another may run under the same name, so store, runtime and kernel are asked again.
    void check(SessionId id) {
        try {
            change(id, checks::check);
        } catch (OperationException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "who " + id + " is now is not in the store", e);
        }
    }

    /// Tries again to open the doors of those that run without.
    void openMissing() {
        remarks.with(Remarks.Topic.DOORS).forEach(this::check);
    }

    /// Removes what a runtime holds and no session owns.
    int sweep(SandboxRuntime runtime) throws OperationException {
        return damaged.sweep(runtime);
    }

    /// Removes the keys and the homes of sessions that are gone.
    void sweepKept() throws OperationException {
        damaged.sweep(authorities);
        damaged.sweep(homeWatch.homes());
    }

    /// As [#change(String, Change)], unless the session is gone.
    void change(SessionId id, Change step) throws OperationException {
        Optional<Session> found = find(id);
        if (found.isPresent()) {
            locked(
                    found.get().name(),
                    () -> {
                        Optional<Session> current = find(id);
                        return current.isPresent() ? step.of(current.get()) : found.get();
                    });
        }
    }
}
