package dev.sallyport.fleet;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// The requests that hosts have sent lately, so that none counts twice. Only verified ones get
/// here, so strangers cannot fill it.
///
/// A nonce is remembered for ten minutes. Then the host gets a floor: nothing is accepted that was
/// signed before what is no longer remembered. By a right clock that is too old anyway; the floor
/// holds when the clock jumps, and after a restart.
final class Nonces {
    /// A request may be signed five minutes ahead of our clock, and is good for five more.
    static final Duration KEPT = Hosts.CLOCKS_APART_MAX.multipliedBy(2);

    static final int HOST_MAX = 2_000;
    static final int ALL_MAX = 200_000;

    private final Map<HostId, Seen> hosts = new HashMap<>();
    private int all;

    private record Entry(String nonce, Instant signed, Instant at) {}

    private static final class Seen {
        private final Deque<Entry> order = new ArrayDeque<>();
        private final Set<String> nonces = new HashSet<>();
        private Instant floor = Instant.EPOCH;

        void raise(Instant signed) {
            floor = signed.isAfter(floor) ? signed : floor;
        }
    }

    /// Requests up to this time may have been accepted, and are not remembered.
    void forgotten(HostId host, Instant signed) {
        hosts.computeIfAbsent(host, _ -> new Seen()).raise(signed);
    }

    /// @throws RefusedException when it may have been there already, or there is no room to
    ///   remember it
    void add(SignedRequest.Parts request, Instant now) throws RefusedException {
        sweep(now);
        Seen seen = hosts.computeIfAbsent(request.host(), _ -> new Seen());
        if (!request.time().isAfter(seen.floor) || seen.nonces.contains(request.nonce())) {
            throw new RefusedException(FleetRefusal.REPLAYED);
        }
        if (seen.nonces.size() >= HOST_MAX || all >= ALL_MAX) {
            throw new RefusedException(FleetRefusal.TOO_MANY);
        }
        seen.nonces.add(request.nonce());
        seen.order.addLast(new Entry(request.nonce(), request.time(), now));
        all++;
    }

    /// The host is gone, and with it the key that signed.
    void forget(HostId host) {
        Seen seen = hosts.remove(host);
        all -= seen == null ? 0 : seen.order.size();
    }

    private void sweep(Instant now) {
        Instant over = now.minus(KEPT);
        for (Seen seen : hosts.values()) {
            while (!seen.order.isEmpty() && seen.order.getFirst().at().isBefore(over)) {
                Entry gone = seen.order.removeFirst();
                seen.nonces.remove(gone.nonce());
                seen.raise(gone.signed());
                all--;
            }
        }
    }
}
