package dev.sallyport.egress;

import dev.sallyport.relay.Account;
import dev.sallyport.relay.Ask;
import dev.sallyport.upstream.Failure;

/// One request as a part of the session's budget.
record WebAccount(Ask ask, WebAudit audit, EgressUse use) implements Account {
    @Override
    public boolean up(long bytes) {
        return use.up(bytes);
    }

    @Override
    public boolean down(long bytes) {
        return use.down(bytes);
    }

    @Override
    public void failed(Failure failure) {
        audit.failed(ask, failure.reason());
    }

    @Override
    public void over(boolean whole) {
        use.close();
    }
}
