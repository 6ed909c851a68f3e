package dev.sallyport.fleet;

import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The pods that are hosts of their own (ADR 40). Each has one session at most, and is a host for
/// as long as that lasts. One whose session has ended stays known: its sidecar is started again by
/// its cluster, and would only have to ask to get another.
public final class Pods {
    public static final int PODS_MAX = 2_000;

    /// Of one pod.
    public static final int SESSIONS_MAX = 1;

    /// A pod that asks for nothing for so long has no good certificate any more, and is gone.
    static final Duration SILENT_MAX = FleetAuthority.SESSION_MAX.plus(SessionBadges.CLAIM_MAX);

    /// How many are remembered whose session has ended, and for how long.
    private static final int OVER_MAX = 10_000;

    private static final Duration OVER_KEPT = Duration.ofDays(30);

    private final FleetStore store;
    private final InstantSource clock;
    private final Hosts hosts;
    private final SessionBadges badges;
    private final Shelf<Mark> marks;

    private Pods(
            FleetStore store,
            Shelf<Mark> marks,
            InstantSource clock,
            Hosts hosts,
            SessionBadges badges) {
        this.store = store;
        this.marks = marks;
        this.clock = clock;
        this.hosts = hosts;
        this.badges = badges;
    }

    /// One pod. The file has no secret, so it is not encrypted.
    ///
    /// @param host by its present key
    /// @param overEpochMilli when its session ended; 0 while it has not
    private record Mark(HostId host, Pod pod, long overEpochMilli) {
        boolean isOver() {
            return overEpochMilli > 0;
        }
    }

    /// Reads what is kept.
    public static Pods open(
            FleetStore store, InstantSource clock, Hosts hosts, SessionBadges badges)
            throws IOException {
        Shelf<Mark> marks = store.shelf(FleetStore.PODS, Mark.class, (_, _) -> {});
        return new Pods(store, marks, clock, hosts, badges);
    }

    /// Makes a pod a host. One that is a host already gets the new key in place of the one before,
    /// and keeps its session.
    ///
    /// @param pod whom the cluster says that the token of this line is for
    public Hosts.Enrolled enrol(PodEnrolment line, Pod pod) throws IOException, RefusedException {
        return store.change(() -> admit(line, pod));
    }

    private Hosts.Enrolled admit(PodEnrolment line, Pod pod) throws IOException, RefusedException {
        Optional<Mark> before = marks.find(pod.uid());
        if (before.filter(Mark::isOver).isPresent()) {
            throw new RefusedException(FleetRefusal.POD_OVER);
        }
        if (before.isEmpty() && alive().size() >= PODS_MAX) {
            throw new RefusedException(FleetRefusal.FULL);
        }
        Hosts.Enrolled now = hosts.admit(line, pod.hostName());
        keep(new Mark(now.id(), pod, 0));
        for (Hosts.Enrolled other : hosts.list()) {
            if (other.name().equals(now.name()) && !other.id().equals(now.id())) {
                badges.pass(other.id(), now.id());
                hosts.replaced(other.id());
            }
        }
        return now;
    }

    private List<Mark> alive() {
        return marks.all().values().stream().filter(mark -> !mark.isOver()).toList();
    }

    private void keep(Mark mark) throws IOException {
        marks.write(mark.pod().uid(), mark);
    }

    private Optional<Mark> of(HostId host) {
        return alive().stream().filter(mark -> mark.host().equals(host)).findFirst();
    }

    /// A session has ended. If it was a pod's, that is no host any more. Who the pod is by now is
    /// seen within the change: another gateway may have given it another key.
    ///
    /// @param over whether it does not become a host again
    public void end(SessionId session, boolean over) throws IOException {
        badges.bare(session);
        store.update(
                () -> {
                    Optional<Mark> pod = badges.host(session).flatMap(this::of);
                    if (pod.isPresent()) {
                        leave(pod.get(), over);
                    }
                    badges.end(session);
                    return session;
                });
    }

    /// A person has removed the host of this name: if it is a pod, it does not become one again.
    public void remove(String hostName) throws IOException {
        store.update(
                () -> {
                    for (Mark mark : alive()) {
                        if (mark.pod().hostName().equals(hostName)) {
                            leave(mark, true);
                        }
                    }
                    return hostName;
                });
    }

    /// One that is [#silent] is no host any more, and may become one again. Whether it still is
    /// silent is seen within the change: another gateway may have heard of it.
    ///
    /// @return whether it is gone
    public boolean forget(HostId host) throws IOException {
        return store.update(
                () -> {
                    Optional<Mark> pod = of(host);
                    boolean gone = pod.isPresent() && silent().contains(host);
                    if (gone) {
                        leave(pod.get(), false);
                    }
                    return gone;
                });
    }

    private void leave(Mark mark, boolean over) throws IOException {
        if (over) {
            keep(new Mark(mark.host(), mark.pod(), clock.millis()));
            prune();
        } else {
            marks.remove(mark.pod().uid());
        }
        hosts.remove(mark.host(), badges);
    }

    /// Those of which nothing was heard for so long that they must be gone.
    public List<HostId> silent() {
        Instant since = clock.instant().minus(SILENT_MAX);
        return alive().stream()
                .map(Mark::host)
                .filter(id -> hosts.find(id).filter(h -> !h.seen().isBefore(since)).isEmpty())
                .toList();
    }

    private void prune() throws IOException {
        long oldest = clock.instant().minus(OVER_KEPT).toEpochMilli();
        List<Mark> over =
                marks.all().values().stream()
                        .filter(Mark::isOver)
                        .sorted(Comparator.comparingLong(Mark::overEpochMilli).reversed())
                        .toList();
        for (int i = 0; i < over.size(); i++) {
            if (i >= OVER_MAX || over.get(i).overEpochMilli() < oldest) {
                marks.remove(over.get(i).pod().uid());
            }
        }
    }
}
