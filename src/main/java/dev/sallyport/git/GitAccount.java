package dev.sallyport.git;

import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.Account;
import dev.sallyport.session.Usage;
import dev.sallyport.session.UsageMeter;

/// One request as the session's use of git. It counts when it is over, and if bytes were moved also
/// when it came to nothing: otherwise a sandbox that hangs up before the end has its data for free.
final class GitAccount implements Account {
    private final UsageMeter meter;
    private final SessionId session;
    private long bytesUp;
    private long bytesDown;

    GitAccount(UsageMeter meter, SessionId session) {
        this.meter = meter;
        this.session = session;
    }

    @Override
    public boolean up(long bytes) {
        bytesUp += bytes;
        return true;
    }

    @Override
    public boolean down(long bytes) {
        bytesDown += bytes;
        return true;
    }

    @Override
    public void over(boolean whole) {
        if (whole || bytesUp + bytesDown > 0) {
            meter.used(session, new Usage(1, bytesUp, bytesDown));
        }
    }
}
