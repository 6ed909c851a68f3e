package dev.sallyport.session;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/// The sessions that this gateway has leases of, each with its epoch, and until when it may rely on
/// that. It counts on the machine's own time since its start, which nobody can set: the wall clocks
/// of gateways and database need not agree.
final class Holdings {
    /// @param until by the time since the machine was started
    private record Holding(long epoch, Duration until) {}

    private final Moment.Source clock;
    private final Map<String, Holding> held = new ConcurrentHashMap<>();
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    /// Those whose row others cannot see yet. A renewal that asked for one would not find it, and
    /// take it for lost.
    private final Set<String> beginning = ConcurrentHashMap.newKeySet();

    Holdings(Moment.Source clock) {
        this.clock = clock;
    }

    /// To be asked before the question to the database is sent.
    Duration now() {
        return clock.now().uptime();
    }

    boolean holds(String id) {
        Holding holding = held.get(id);
        return holding != null && now().compareTo(holding.until()) < 0;
    }

    /// Also of a lease that has run out: as long as nobody has taken the session over, its writes
    /// are in order.
    Optional<Long> epoch(String id) {
        return Optional.ofNullable(held.get(id)).map(Holding::epoch);
    }

    /// Those that are in the database, in an order that is always the same.
    Map<String, Long> epochs() {
        Map<String, Long> all = new TreeMap<>();
        held.forEach((id, holding) -> all.put(id, holding.epoch()));
        all.keySet().removeAll(beginning);
        return all;
    }

    /// As [#put], for a session that is being inserted, until [#begun].
    void begin(String id, long epoch, Duration until) {
        beginning.add(id);
        put(id, epoch, until);
    }

    /// The transaction of the insert is over.
    void begun(String id) {
        beginning.remove(id);
    }

    void put(String id, long epoch, Duration until) {
        held.put(id, new Holding(epoch, until));
        told.remove(id);
    }

    void remove(String id) {
        held.remove(id);
        told.remove(id);
    }

    /// These were renewed; of the others that were asked for, another gateway has the session, or
    /// it is gone.
    ///
    /// @return what is lost for good
    Set<String> renewed(Map<String, Long> asked, Map<String, Long> renewed, Duration until) {
        Set<String> lost = new TreeSet<>();
        for (Map.Entry<String, Long> each : asked.entrySet()) {
            String id = each.getKey();
            boolean still = each.getValue().equals(renewed.get(id));
            held.computeIfPresent(
                    id,
                    (_, present) -> {
                        if (present.epoch() != each.getValue()) {
                            return present;
                        }
                        if (still) {
                            told.remove(id);
                            return new Holding(present.epoch(), until);
                        }
                        lost.add(id);
                        return null;
                    });
        }
        return lost;
    }

    /// Those whose time has run out since this was asked last.
    Set<String> runOut() {
        Duration now = now();
        Set<String> over = new TreeSet<>();
        new HashMap<>(held)
                .forEach(
                        (id, holding) -> {
                            if (now.compareTo(holding.until()) >= 0 && told.add(id)) {
                                over.add(id);
                            }
                        });
        return over;
    }
}
