package dev.sallyport.upstream;

import dev.sallyport.policy.SessionId;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Whether a sandbox has the gateway to itself. Long work may then use all processors; in company
/// it leaves one of them to what others ask for. The kernel cannot see to that by priorities alone:
/// where it shares time between groups of processes, the threads of one group that nobody in it
/// competes with have the weight of the whole group.
public final class Company {
    /// What [ReadTurns] of this process see.
    private static final Company OF_GATEWAY = new Company(System::nanoTime);

    private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /// How exact the times are; a busy connection is not noted with each of its reads.
    private static final long STEP_NANOS = MOMENT_NANOS / 16;

    private record Sight(SessionId session, long nanos) {}

    private final LongSupplier clock;
    private volatile @Nullable Sight latest;
    private volatile @Nullable Sight latestOfAnother;

    Company(LongSupplier clock) {
        this.clock = clock;
    }

    public static Company ofGateway() {
        return OF_GATEWAY;
    }

    /// A sandbox sent something, or something came for it. From any thread.
    void seen(SessionId session) {
        Sight last = latest;
        long now = clock.getAsLong();
        if (last == null || !last.session.equals(session) || now - last.nanos > STEP_NANOS) {
            note(new Sight(session, now));
        }
    }

    private synchronized void note(Sight sight) {
        Sight last = latest;
        if (last != null && !last.session.equals(sight.session)) {
            latestOfAnother = last;
        }
        latest = sight;
    }

    /// Whether no other sandbox was seen for a moment.
    public synchronized boolean isAlone(SessionId session) {
        Sight last = latest;
        Sight other = last == null || !last.session.equals(session) ? last : latestOfAnother;
        return other == null || clock.getAsLong() - other.nanos > MOMENT_NANOS;
    }
}
