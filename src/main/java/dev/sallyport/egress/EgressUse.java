package dev.sallyport.egress;

import dev.sallyport.config.Limits;
import dev.sallyport.relay.Account;
import dev.sallyport.relay.Tunnel;
import dev.sallyport.session.Usage;

/// One connection upstream as the [EgressBudget] sees it. Whoever gets `false` sends nothing of
/// what it asked for, and ends what it is doing with `BUDGET_SPENT`.
///
/// Belongs to one event loop.
public final class EgressUse implements Account, AutoCloseable {
    private final EgressBudget budget;
    private final EgressBudget.HostAccount account;
    private Usage untold = Usage.NONE;
    private long bytesUp;
    private long bytesDown;
    private boolean closed;

    EgressUse(EgressBudget budget, EgressBudget.HostAccount account) {
        this.budget = budget;
        this.account = account;
    }

    /// Counts one request, or one tunnel, before anything is done for it. The warden is told with
    /// the first bytes: an attempt is not the activity that keeps a session alive.
    public boolean request() {
        Usage one = new Usage(1, 0, 0);
        boolean granted = budget.spend(account, one, Usage.NONE);
        untold = granted ? untold.plus(one) : untold;
        return granted;
    }

    @Override
    public boolean up(long bytes) {
        boolean granted = moved(new Usage(0, bytes, 0));
        bytesUp += granted ? bytes : 0;
        return granted;
    }

    @Override
    public boolean down(long bytes) {
        boolean granted = moved(new Usage(0, 0, bytes));
        bytesDown += granted ? bytes : 0;
        return granted;
    }

    private boolean moved(Usage bytes) {
        boolean granted = budget.spend(account, bytes, untold.plus(bytes));
        untold = granted ? Usage.NONE : untold;
        return granted;
    }

    public long bytesUp() {
        return bytesUp;
    }

    public long bytesDown() {
        return bytesDown;
    }

    /// How long a tunnel may last that is counted here.
    Tunnel.Terms tunnel(Limits.Egress limits) {
        return new Tunnel.Terms(limits.tunnelIdleSecondsMax(), limits.tunnelSecondsMax(), this);
    }

    /// Lets the warden know what was used so far, which it is told by itself while bytes flow. For
    /// a connection that rests now and then.
    @Override
    public void report() {
        budget.report();
    }

    @Override
    public void over(boolean whole) {
        close();
    }

    /// Gives the connection's place back.
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            budget.leave(account);
        }
    }
}
