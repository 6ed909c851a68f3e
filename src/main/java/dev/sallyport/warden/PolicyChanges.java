package dev.sallyport.warden;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.control.Api;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.Narrowing;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.session.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// Takes a changed `policy.yaml`: for new sandboxes as it is, for those that are there only what it
/// takes away. What it adds they get when a person says so. Nothing of a sandbox's leads here.
final class PolicyChanges {
    private static final System.Logger LOG = System.getLogger(PolicyChanges.class.getName());

    /// An editor may empty or remove a file before it writes it.
    private static final Duration SETTLED = Duration.ofMillis(500);

    private final LivePolicy live;
    private final Sandboxes sandboxes;
    private final GatewayLink link;
    private final Ledger ledger;

    PolicyChanges(LivePolicy live, Sandboxes sandboxes, GatewayLink link, Ledger ledger) {
        this.live = live;
        this.sandboxes = sandboxes;
        this.link = link;
        this.ledger = ledger;
    }

    List<String> notices() {
        return live.notices();
    }

    /// Takes the file if somebody changed it and has finished. One that is not good changes
    /// nothing, and is said to be so by [#notices].
    void look() {
        if (!live.isTouched()) {
            return;
        }
        synchronized (this) {
            try {
                while (live.isTouched()) {
                    if (isSettled()) {
                        LivePolicy.Rules found = live.read();
                        if (!found.digest().equals(live.rules().digest())) {
                            take(found, false);
                        }
                    }
                }
            } catch (OperationException e) {
                LOG.log(System.Logger.Level.WARNING, "policy.yaml is not in force", e);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// As [#look], and returns at once.
    void notice() {
        if (live.isTouched()) {
            Thread.ofVirtual().name("policy").start(this::look);
        }
    }

    private boolean isSettled() throws InterruptedException {
        String before = live.stamp();
        Thread.sleep(SETTLED);
        return live.stamp().equals(before);
    }

    /// Takes the file because a person says so.
    ///
    /// @throws OperationException when it is not good
    Api.PolicyApplied apply(Api.ApplyPolicy how) throws OperationException {
        Api.PolicyApplied applied = taken(how);
        if (how.running() && !how.dryRun()) {
            // Not under the lock: a gateway that is late must not keep the next file waiting.
            sandboxes.rights().doors().settleAll();
        }
        return applied;
    }

    private synchronized Api.PolicyApplied taken(Api.ApplyPolicy how) throws OperationException {
        LivePolicy.Rules found = live.read();
        return how.dryRun() ? rehearse(found, how.running()) : take(found, how.running());
    }

    /// What an earlier warden's sandboxes keep, before they get doors again: the file may have
    /// changed while there was none.
    void begin() throws OperationException {
        changeAll(live.rules(), false);
    }

    /// What a session keeps that another gateway had until now, before it gets doors here.
    ///
    /// @throws OperationException when it keeps what it should not
    void narrow(Session taken) throws OperationException {
        var _ = change(taken, live.rules(), false);
    }

    /// Makes a session under the rules in force. Those that come into force meanwhile hold for it
    /// as for all the others.
    Session under(NameLocks.Work<Session> making) throws OperationException {
        LivePolicy.Rules then = live.rules();
        Session made = making.run();
        LivePolicy.Rules now = live.rules();
        if (!now.digest().equals(then.digest()) && !made.isCarried()) {
            change(made, now, false);
        }
        return made;
    }

    private Api.PolicyApplied take(LivePolicy.Rules found, boolean running)
            throws OperationException {
        boolean other = !found.digest().equals(live.rules().digest());
        AuditEvent event =
                new AuditEvent(
                        "policy.apply",
                        "",
                        "",
                        Map.of(
                                "file", found.digest(),
                                "before", live.rules().digest(),
                                "running", Boolean.toString(running)));
        if (running) {
            ledger.record(event);
        } else if (other) {
            // A sandbox can fill the disk, and keeps nothing by that.
            ledger.note(event);
        }
        live.take(found);
        link.changeHosts();
        return answer(found, other, changeAll(found, running));
    }

    private Api.PolicyApplied rehearse(LivePolicy.Rules found, boolean running)
            throws OperationException {
        List<Api.RightsChange> changes = new ArrayList<>();
        for (Session session : sandboxes.list()) {
            if (session.state() != Session.State.ENDED && !session.isCarried()) {
                Session after = changed(session, found.policy(), running).orElse(session);
                told(view(session, after, running, found.policy())).ifPresent(changes::add);
            }
        }
        return answer(found, !found.digest().equals(live.rules().digest()), changes);
    }

    private Api.PolicyApplied answer(
            LivePolicy.Rules found, boolean other, List<Api.RightsChange> changes) {
        return new Api.PolicyApplied(
                found.digest(),
                other,
                found.policy().warnings(),
                live.waiting(found.policy()),
                changes);
    }

    /// Each under the lock of its name, and all at once: that one of them fails, or that something
    /// else is done to it, keeps no other from being narrowed.
    private List<Api.RightsChange> changeAll(LivePolicy.Rules now, boolean running)
            throws OperationException {
        List<CompletableFuture<Optional<Api.RightsChange>>> changes =
                sandboxes.list().stream()
                        // The rules for those with a gateway elsewhere are that machine's.
                        .filter(session -> !session.isCarried())
                        .map(
                                session ->
                                        CompletableFuture.supplyAsync(
                                                () -> tried(session, now, running),
                                                command -> Thread.startVirtualThread(command)))
                        .toList();
        return changes.stream().map(CompletableFuture::join).flatMap(Optional::stream).toList();
    }

    private Optional<Api.RightsChange> tried(
            Session listed, LivePolicy.Rules now, boolean running) {
        try {
            return change(listed, now, running);
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "rights of " + listed.name(), e);
            return Optional.of(
                    new Api.RightsChange(
                            listed.name(),
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of("not changed: " + e.problem().message())));
        }
    }

    /// One that is being made, which may take long, is changed by [#under].
    private Optional<Api.RightsChange> change(Session listed, LivePolicy.Rules now, boolean running)
            throws OperationException {
        if (listed.state() == Session.State.ENDED || listed.state() == Session.State.CREATING) {
            return Optional.empty();
        }
        List<Api.RightsChange> change = new ArrayList<>();
        sandboxes.change(
                listed.id(),
                present -> {
                    Optional<Session> after = changed(present, now.policy(), running);
                    Api.RightsChange view =
                            view(present, after.orElse(present), running, now.policy());
                    told(view).ifPresent(change::add);
                    if (after.isEmpty()) {
                        return present;
                    }
                    Map<String, String> detail = detail(after.get(), now, view);
                    return running
                            ? sandboxes.rights().widen(after.get(), detail)
                            : sandboxes.rights().narrow(after.get(), detail);
                });
        return change.stream().findFirst();
    }

    /// The session with other rights; empty when they are the same.
    private Optional<Session> changed(Session present, PolicyFile policy, boolean running) {
        List<RepoGrant> grants = RepoRequests.again(present.asked().repos(), policy);
        Egress egress = ReachRequests.again(present, policy);
        Session after =
                running
                        ? present.with(grants, egress)
                        : present.with(
                                Narrowing.of(present.grants(), grants),
                                Narrowing.of(present.egress(), egress));
        return after.policy().digest().equals(present.policy().digest())
                ? Optional.empty()
                : Optional.of(after);
    }

    private static Map<String, String> detail(
            Session after, LivePolicy.Rules now, Api.RightsChange view) {
        Map<String, String> detail = new HashMap<>();
        detail.put("policy", after.policy().digest());
        detail.put("file", now.digest());
        detail.put("lost", String.join("; ", view.lost()));
        detail.put("gained", String.join("; ", view.gained()));
        return detail;
    }

    private Api.RightsChange view(
            Session before, Session after, boolean running, PolicyFile policy) {
        List<String> had = RightsWords.of(before);
        List<String> has = RightsWords.of(after);
        List<String> gets =
                running ? has : changed(after, policy, true).map(RightsWords::of).orElse(has);
        return new Api.RightsChange(
                before.name(),
                without(had, has),
                without(has, had),
                without(gets, has),
                RightsWords.notices(after));
    }

    /// Nothing is said about a sandbox whose rights are what they would be if it were new.
    private static Optional<Api.RightsChange> told(Api.RightsChange view) {
        boolean same =
                view.lost().isEmpty() && view.gained().isEmpty() && view.available().isEmpty();
        return same ? Optional.empty() : Optional.of(view);
    }

    private static List<String> without(List<String> all, List<String> those) {
        return all.stream().filter(line -> !those.contains(line)).toList();
    }
}
