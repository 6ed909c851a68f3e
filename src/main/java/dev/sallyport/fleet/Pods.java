package dev.sallyport.fleet;

import dev.sallyport.config.SealedJson;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

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

    private final SealedJson<Mark> files;
    private final InstantSource clock;
    private final Hosts hosts;
    private final SessionBadges badges;
    private final Map<String, Mark> marks = new TreeMap<>();

    private Pods(SealedJson<Mark> files, InstantSource clock, Hosts hosts, SessionBadges badges) {
        this.files = files;
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

    /// Reads what is on disk.
    ///
    /// @param directory of the fleet
    public static Pods open(Path directory, InstantSource clock, Hosts hosts, SessionBadges badges)
            throws IOException {
        SealedJson<Mark> files =
                new SealedJson<>(directory.resolve("pods"), Optional.empty(), Mark.class);
        Pods opened = new Pods(files, clock, hosts, badges);
        for (String uid : files.names()) {
            opened.marks.put(uid, files.read(uid));
        }
        return opened;
    }

    /// Makes a pod a host. One that is a host already gets the new key in place of the one before,
    /// and keeps its session.
    ///
    /// @param pod whom the cluster says that the token of this line is for
    public synchronized Hosts.Enrolled enrol(PodEnrolment line, Pod pod)
            throws IOException, RefusedException {
        Optional<Mark> before = Optional.ofNullable(marks.get(pod.uid()));
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
                hosts.remove(other.id());
            }
        }
        return now;
    }

    private List<Mark> alive() {
        return marks.values().stream().filter(mark -> !mark.isOver()).toList();
    }

    private void keep(Mark mark) throws IOException {
        files.write(mark.pod().uid(), mark);
        marks.put(mark.pod().uid(), mark);
    }

    private void drop(Mark mark) throws IOException {
        files.removeForGood(mark.pod().uid());
        marks.remove(mark.pod().uid());
    }

    private Optional<Mark> of(HostId host) {
        return alive().stream().filter(mark -> mark.host().equals(host)).findFirst();
    }

    /// The pod that this host is, if it is one.
    public synchronized Optional<Pod> find(HostId host) {
        return of(host).map(Mark::pod);
    }

    /// Its session has ended: it is no host any more, and does not become one again.
    public synchronized void end(HostId host) throws IOException {
        Optional<Mark> known = of(host);
        if (known.isPresent()) {
            keep(new Mark(host, known.get().pod(), clock.millis()));
            hosts.remove(host);
            prune();
        }
    }

    /// It is no host any more, and may become one again.
    public synchronized void forget(HostId host) throws IOException {
        Optional<Mark> known = of(host);
        if (known.isPresent()) {
            drop(known.get());
            hosts.remove(host);
        }
    }

    /// Those of which nothing was heard for so long that they must be gone.
    public synchronized List<HostId> silent() {
        Instant since = clock.instant().minus(SILENT_MAX);
        return alive().stream()
                .map(Mark::host)
                .filter(id -> hosts.find(id).filter(h -> !h.seen().isBefore(since)).isEmpty())
                .toList();
    }

    private void prune() throws IOException {
        long oldest = clock.instant().minus(OVER_KEPT).toEpochMilli();
        List<Mark> over =
                marks.values().stream()
                        .filter(Mark::isOver)
                        .sorted(Comparator.comparingLong(Mark::overEpochMilli).reversed())
                        .toList();
        for (int i = 0; i < over.size(); i++) {
            if (i >= OVER_MAX || over.get(i).overEpochMilli() < oldest) {
                drop(over.get(i));
            }
        }
    }
}
