package dev.sallyport.warden;

import dev.sallyport.fleet.FleetStore;
import dev.sallyport.fleet.HostId;
import dev.sallyport.fleet.SessionBadges;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// What is done about sessions of other machines without being asked: those of which nothing is
/// heard any more, and what other gateways have changed.
final class FleetUpkeep {
    private static final System.Logger LOG = System.getLogger(FleetUpkeep.class.getName());
    private static final String HOST = FleetStore.HOSTS + "/";

    /// Of looks, which happen once a second.
    private static final int ANNOUNCED_AFTER = 5;

    /// Of settlements, which happen every 30 seconds.
    private static final int SWEPT_AFTER = 20;

    private static final String BADGE = FleetStore.BADGES + "/";

    private final FleetFiles.Source files;
    private final Fleet fleet;
    private final Sandboxes sandboxes;
    private final GatewayLink link;
    private final Neighbours neighbours;
    private final StoreSight sight;
    private final AtomicBoolean looking = new AtomicBoolean();

    /// What others have changed and has not had its effect yet.
    private final Set<String> changed = new TreeSet<>();

    /// Whether nobody comes in, because it is not seen what others change.
    private volatile boolean blind;

    private final AtomicInteger settled = new AtomicInteger();
    private boolean fails;
    private int looks;

    FleetUpkeep(
            FleetFiles.Source files,
            Fleet fleet,
            Sandboxes sandboxes,
            GatewayLink link,
            Neighbours neighbours,
            StoreSight sight) {
        this.files = files;
        this.fleet = fleet;
        this.sandboxes = sandboxes;
        this.link = link;
        this.neighbours = neighbours;
        this.sight = sight;
    }

    /// Draws the consequence for sessions of which nothing was heard until their certificates were
    /// over. One that never had any goes.
    void settle() {
        if (!files.exists()) {
            return;
        }
        try {
            SessionBadges badges = files.get().badges();
            PodDesk.leave(files.get(), own -> own.forEach(this::end));
            endOrphans();
            badges.all().forEach(id -> settleAlone(badges, id));
            if (settled.getAndIncrement() % SWEPT_AFTER == 0) {
                neighbours.sweep();
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "sessions of other machines may be left", e);
        }
    }

    /// One that fails does not keep the others from it.
    private void settleAlone(SessionBadges badges, SessionId id) {
        try {
            settle(badges, id);
        } catch (IOException | OperationException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a session of another machine may be left", e);
        }
    }

    private void settle(SessionBadges badges, SessionId id) throws IOException, OperationException {
        boolean here = sandboxes.find(id).isPresent();
        if (!here && !neighbours.arePossible()) {
            badges.end(id);
        } else if (badges.isAlive(id)) {
            // Its gateway has it, whichever that is.
            return;
        } else if (!here && !neighbours.exists(id)) {
            badges.end(id);
            neighbours.forget(id);
        } else if (!here && neighbours.mayTake(id)) {
            // So that somebody has it in a list.
            neighbours.take(id);
        } else if (here && !badges.wasCertified(id)) {
            sandboxes.destroy(id);
        } else if (here) {
            sandboxes.check(id);
        }
    }

    /// Looks at what other gateways have changed. It may take as long as a database does.
    void look() {
        if (!files.exists()) {
            sight.seen(sight.now());
        }
        watch();
        if (neighbours.arePossible() && files.exists() && looking.compareAndSet(false, true)) {
            Thread.ofVirtual()
                    .name("neighbours")
                    .start(
                            () -> {
                                try {
                                    lookNow();
                                    fails = false;
                                } catch (IOException | RuntimeException e) {
                                    if (!fails) {
                                        LOG.log(
                                                System.Logger.Level.WARNING,
                                                "what other gateways change is not seen",
                                                e);
                                    }
                                    fails = true;
                                } finally {
                                    looking.set(false);
                                }
                            });
        }
    }

    /// Closes the way in for other machines when it is not seen any more what other gateways have
    /// taken away, and opens it again. Asks no database.
    private void watch() {
        boolean old = sight.isOld();
        if (old != blind) {
            try {
                LOG.log(
                        System.Logger.Level.WARNING,
                        old
                                ? "other machines cannot come in until the store answers"
                                : "other machines can come in again");
                files.get().badges().all().forEach(link::tellAgain);
                blind = old;
            } catch (IOException | RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "the gateway was not told of it", e);
            }
        }
    }

    /// What was changed is forgotten when all of it had its effect, and not before.
    void lookNow() throws IOException {
        long then = sight.now();
        changed.addAll(files.get().store().refresh());
        fleet.tellChanged();
        for (String each : changed) {
            if (each.startsWith(BADGE)) {
                changed(new SessionId(each.substring(BADGE.length())));
            }
        }
        // What follows may take long, and nobody can come in for those sessions any more.
        sight.seen(then);
        if (changed.stream().anyMatch(each -> each.startsWith(HOST))) {
            endOrphans();
        }
        changed.clear();
        neighbours.giveBackOwed();
        looks++;
        if (looks % ANNOUNCED_AFTER == 0) {
            fleet.announce();
        }
    }

    /// What another gateway has certified is no trouble of this one any more.
    private void changed(SessionId id) {
        link.tellAgain(id);
        if (!link.holds(id)) {
            sandboxes.remarks().forget(id);
        }
    }

    /// Ends the sessions of hosts that were removed, wherever that was said.
    void endOrphans() throws IOException {
        SessionBadges badges = files.get().badges();
        for (SessionId id : badges.all()) {
            Optional<HostId> host = badges.host(id);
            if (host.isPresent() && isGone(host.get())) {
                end(id);
            }
        }
    }

    private boolean isGone(HostId host) throws IOException {
        return files.get().hosts().find(host).isEmpty()
                && !files.get().store().isAside(HOST + host.value());
    }

    private void end(SessionId id) {
        try {
            // Before anything opens doors for it.
            if (files.get().badges().isAlive(id)) {
                fleet.revoke(id);
            }
            if (sandboxes.find(id).isEmpty() && neighbours.mayTake(id)) {
                neighbours.take(id);
            }
            sandboxes.destroy(id);
        } catch (IOException | OperationException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "not ended: " + id, e);
        }
    }
}
