package dev.sallyport.egress;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Usage;
import dev.sallyport.session.UsageMeter;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// What one session may still use of the hosts besides git: bytes and requests in all, bytes and
/// open connections per host. An allowed host can carry data out; this is how much.
///
/// It starts from what the session used before, so that neither a new gateway nor changed rights
/// begin it anew. That includes what git used, which is stricter and never laxer. What single hosts
/// were sent is kept for as long as this gateway serves the session.
///
/// Used from all event loops. Nothing here waits.
public final class EgressBudget {
    private final SessionId session;
    private final Limits.Egress limits;
    private final UsageMeter meter;
    private final Map<HostName, HostAccount> hosts = new HashMap<>();
    private final UnreportedUse unreported = new UnreportedUse();
    private Usage spent;

    public EgressBudget(SessionId session, Limits.Egress limits, Usage spent, UsageMeter meter) {
        this.session = session;
        this.limits = limits;
        this.spent = spent;
        this.meter = meter;
    }

    /// Takes one of the connections that the host may have at once; empty when there is none left,
    /// or nothing that could be done with it. Then the refusal is `BUDGET_SPENT`. Asked before
    /// anything is dialled, and after the policy: a name that is not allowed gets no row.
    public Optional<EgressUse> open(HostName host) {
        return enter(host).map(account -> new EgressUse(this, account));
    }

    private synchronized Optional<HostAccount> enter(HostName host) {
        HostAccount account = hosts.get(host);
        if (account == null) {
            if (hosts.size() >= limits.namesPerSandboxMax()) {
                return Optional.empty();
            }
            account = new HostAccount();
        }
        if (account.connections >= limits.connectionsPerHostMax() || !hasRoom(account, 1, 1, 1)) {
            return Optional.empty();
        }
        hosts.put(host, account);
        account.connections++;
        return Optional.of(account);
    }

    /// Counts all of it, or nothing: what does not fit must not be sent.
    ///
    /// @param told what of this and of earlier use the warden is to be told
    boolean spend(HostAccount account, Usage more, Usage told) {
        Optional<Usage> due;
        synchronized (this) {
            if (!hasRoom(account, more.requests(), more.bytesUp(), more.bytesDown())) {
                return false;
            }
            spent = spent.plus(more);
            account.bytesUp += more.bytesUp();
            account.bytesDown += more.bytesDown();
            due = unreported.add(told, System.nanoTime());
        }
        due.ifPresent(used -> meter.used(session, used));
        return true;
    }

    private boolean hasRoom(HostAccount account, long requests, long bytesUp, long bytesDown) {
        return spent.requests() + requests <= limits.requestsPerSandboxMax()
                && spent.bytesUp() + bytesUp <= limits.bytesUpPerSandboxMax()
                && spent.bytesDown() + bytesDown <= limits.bytesDownPerSandboxMax()
                && account.bytesUp + bytesUp <= limits.bytesUpPerHostMax()
                && account.bytesDown + bytesDown <= limits.bytesDownPerHostMax();
    }

    void leave(HostAccount account) {
        synchronized (this) {
            account.connections--;
        }
        report();
    }

    /// Tells the warden what it has not been told yet. Called about once a second by whoever moves
    /// bytes slowly; who moves many is reported without.
    void report() {
        Optional<Usage> due;
        synchronized (this) {
            due = unreported.take(System.nanoTime());
        }
        due.ifPresent(used -> meter.used(session, used));
    }

    /// What was used with one host. Guarded by the budget.
    static final class HostAccount {
        private long bytesUp;
        private long bytesDown;
        private int connections;
    }

    /// Collects use until it is worth a message: a mebibyte, or a second. What a gateway that is
    /// killed takes with it is less than that.
    private static final class UnreportedUse {
        private static final long BYTES_MAX = 1L << 20;
        private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

        private Usage waiting = Usage.NONE;
        private long reportedNanos = System.nanoTime();

        /// What is to be reported now.
        Optional<Usage> add(Usage more, long nowNanos) {
            waiting = waiting.plus(more);
            boolean many = waiting.bytesUp() + waiting.bytesDown() >= BYTES_MAX;
            return many || nowNanos - reportedNanos >= NANOS_MAX
                    ? take(nowNanos)
                    : Optional.empty();
        }

        Optional<Usage> take(long nowNanos) {
            reportedNanos = nowNanos;
            if (waiting.equals(Usage.NONE)) {
                return Optional.empty();
            }
            Usage due = waiting;
            waiting = Usage.NONE;
            return Optional.of(due);
        }
    }
}
