package dev.sallyport.relay;

import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Usage;
import dev.sallyport.session.UsageMeter;

/// One request as the session's use of a git host. It counts when it is over, and if bytes were
/// moved also when it came to nothing: otherwise a sandbox that hangs up before the end has its
/// data for free.
public final class SessionAccount implements Account {
    private final UsageMeter meter;
    private final SessionId session;
    private final long bytesDownMax;
    private long bytesUp;
    private long bytesDown;

    public SessionAccount(UsageMeter meter, SessionId session) {
        this(meter, session, Long.MAX_VALUE);
    }

    /// Of one request, whose answer is bounded.
    public SessionAccount(UsageMeter meter, SessionId session, long bytesDownMax) {
        this.meter = meter;
        this.session = session;
        this.bytesDownMax = bytesDownMax;
    }

    @Override
    public boolean up(long bytes) {
        bytesUp += bytes;
        return true;
    }

    @Override
    public boolean down(long bytes) {
        boolean granted = bytes <= bytesDownMax - bytesDown;
        bytesDown += granted ? bytes : 0;
        return granted;
    }

    @Override
    public void over(boolean whole) {
        if (whole || bytesUp + bytesDown > 0) {
            meter.used(session, new Usage(1, bytesUp, bytesDown));
        }
    }
}
