package dev.sallyport.git;

import dev.sallyport.relay.Account;
import dev.sallyport.relay.Ask;
import dev.sallyport.session.Usage;
import dev.sallyport.upstream.Failure;

/// One request as the session's use of git. It counts when it is over, and if bytes were moved also
/// when it came to nothing: otherwise a sandbox that hangs up before the end has its data for free.
final class GitAccount implements Account {
    private final Surroundings surroundings;
    private final Ask ask;
    private long bytesUp;
    private long bytesDown;

    GitAccount(Surroundings surroundings, Ask ask) {
        this.surroundings = surroundings;
        this.ask = ask;
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
    public void failed(Failure failure) {
        surroundings.audit().failed(ask, failure);
    }

    @Override
    public void over(boolean whole) {
        if (whole || bytesUp + bytesDown > 0) {
            surroundings.usage().used(ask.session().id(), new Usage(1, bytesUp, bytesDown));
        }
    }
}
