package dev.sallyport.http;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.RequestTimes;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// How many requests one sandbox may have: at once, per second, and together with all others. What
/// comes on top waits in line: programs make many requests at a time without meaning harm.
public final class RequestQuota {
    /// A request that asks for a place.
    interface Guest {
        EventLoop loop();

        /// It has a place, and leaves it once. Called on its loop.
        void admitted();
    }

    /// Requests in flight of the whole gateway. Some places belong to each sandbox, whatever the
    /// others do; the rest is for whoever comes first, and sandboxes that wait for one take turns.
    /// Guards all that its quotas hold.
    public static final class Total {
        private static final int RESERVE = 4;

        private final int max;
        private final Set<RequestQuota> waiting = new LinkedHashSet<>();
        private final RequestTimes times = new RequestTimes();
        private int sandboxes;
        private int shared;
        private int all;

        public Total(Limits.Sharing limits) {
            this.max = limits.requestsInFlightTotalMax();
        }

        public RequestTimes times() {
            return times;
        }

        /// How many are in flight.
        public synchronized int inFlight() {
            return all;
        }

        public int max() {
            return max;
        }

        /// How many wait in line.
        public synchronized int inLine() {
            return waiting.stream().mapToInt(quota -> quota.line.size()).sum();
        }

        private boolean hasRoom(int inFlight) {
            return inFlight < RESERVE || shared < max - RESERVE * sandboxes;
        }

        /// Somebody has left: lets in who can come now, one of each sandbox after the other.
        private List<Guest> admit() {
            List<Guest> admitted = new ArrayList<>();
            int before;
            do {
                before = admitted.size();
                for (RequestQuota quota : List.copyOf(waiting)) {
                    quota.first().ifPresent(admitted::add);
                }
            } while (admitted.size() > before);
            return admitted;
        }
    }

    private final Total total;
    private final int max;
    private final int lineMax;
    private final int waitSecondsMax;
    private final Bucket rate;
    private final Set<Guest> line = new LinkedHashSet<>();
    private int inFlight;
    private boolean wakes;

    public RequestQuota(Limits.Sharing limits, Total total) {
        this(limits, total, TimeMeter.SYSTEM_NANOTIME);
    }

    RequestQuota(Limits.Sharing limits, Total total, TimeMeter time) {
        this.total = total;
        this.max = limits.requestsInFlightPerSandboxMax();
        this.lineMax = limits.requestsWaitingPerSandboxMax();
        this.waitSecondsMax = limits.requestWaitSecondsMax();
        int perSecond = limits.requestsPerSecondPerSandboxMax();
        this.rate =
                Bucket.builder()
                        .withCustomTimePrecision(time)
                        .addLimit(
                                limit ->
                                        limit.capacity(perSecond)
                                                .refillGreedy(perSecond, Duration.ofSeconds(1)))
                        .build();
        synchronized (total) {
            total.sandboxes++;
        }
    }

    /// Asks for a place; the guest is told when it has one, now or later. Otherwise the reason why
    /// it cannot even wait. A guest that does not want its place any more says so with [#giveUp].
    Optional<Refusal> enter(Guest guest) {
        synchronized (total) {
            if (!line.isEmpty() || !take()) {
                return queue(guest);
            }
        }
        guest.admitted();
        return Optional.empty();
    }

    private boolean hasPlace() {
        return inFlight < max && total.hasRoom(inFlight);
    }

    private boolean take() {
        if (!hasPlace() || !rate.tryConsume(1)) {
            return false;
        }
        total.shared += inFlight >= Total.RESERVE ? 1 : 0;
        inFlight++;
        total.all++;
        return true;
    }

    private Optional<Refusal> queue(Guest guest) {
        if (line.size() >= lineMax) {
            return Optional.of(Refusal.TOO_MANY_REQUESTS);
        }
        line.add(guest);
        total.waiting.add(this);
        wakeLater(guest.loop());
        return Optional.empty();
    }

    /// The first in line, if it can come in now.
    private Optional<Guest> first() {
        Guest first = line.iterator().next();
        if (!take()) {
            wakeLater(first.loop());
            return Optional.empty();
        }
        line.remove(first);
        total.waiting.remove(this);
        if (!line.isEmpty()) {
            // Behind the other sandboxes.
            total.waiting.add(this);
        }
        return Optional.of(first);
    }

    /// Whoever leaves wakes those who wait for a place; who waits for time has to be woken, even if
    /// that time has come meanwhile.
    private void wakeLater(EventLoop loop) {
        if (hasPlace() && !wakes) {
            wakes = true;
            long nanos = rate.estimateAbilityToConsume(1).getNanosToWaitForRefill();
            var _ = loop.schedule(this::wake, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void wake() {
        synchronized (total) {
            wakes = false;
        }
        admit();
    }

    private void admit() {
        List<Guest> admitted;
        synchronized (total) {
            admitted = total.admit();
        }
        admitted.forEach(guest -> guest.loop().execute(guest::admitted));
    }

    /// For a guest that waits no longer: what it waited for, unless it has got a place meanwhile.
    Optional<Refusal> giveUp(Guest guest) {
        synchronized (total) {
            if (!line.remove(guest)) {
                return Optional.empty();
            }
            if (line.isEmpty()) {
                total.waiting.remove(this);
            }
            boolean ours = inFlight >= max || total.hasRoom(inFlight);
            return Optional.of(ours ? Refusal.TOO_MANY_REQUESTS : Refusal.GATEWAY_BUSY);
        }
    }

    /// How long one that leaves had its place.
    void took(long nanos) {
        total.times.took(nanos);
    }

    void leave() {
        synchronized (total) {
            inFlight--;
            total.all--;
            total.shared -= inFlight >= Total.RESERVE ? 1 : 0;
            if (total.waiting.isEmpty()) {
                return;
            }
        }
        admit();
    }

    /// The sandbox has ended; what it has in flight may still leave.
    public void close() {
        synchronized (total) {
            total.sandboxes--;
        }
        admit();
    }

    int waitSecondsMax() {
        return waitSecondsMax;
    }

    int inFlight() {
        synchronized (total) {
            return inFlight;
        }
    }
}
