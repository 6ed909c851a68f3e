package dev.sallyport.session;

import dev.sallyport.config.StorePlace;
import dev.sallyport.policy.MalformedNameException;
import java.time.Duration;

/// One of many gateways that share a store in a benchmark, with the connections and the terms of a
/// daemon. It renews its leases when it is told to, so that this can be measured, and can end.
public final class BenchGateway implements AutoCloseable {
    private static final PostgresLeases.Terms STANDARD = PostgresLeases.Terms.STANDARD;

    /// How often a daemon renews.
    public static final Duration RENEWAL = STANDARD.renewal();

    private final SessionStore store;

    public BenchGateway(StorePlace place, int number) throws StoreException {
        store =
                PostgresSessionStore.open(
                        place,
                        new GatewayId("%032d".formatted(number)),
                        Moment::now,
                        new PostgresLeases.Terms(
                                STANDARD.good(), STANDARD.margin(), Duration.ofDays(1)),
                        PostgresSessionStore.Sight.ALL);
    }

    /// One that runs, with two repositories and a host.
    public static Session session(String name) throws MalformedNameException {
        return SessionStoreContract.session(name).running(SessionStoreContract.VERIFIED);
    }

    public SessionStore store() {
        return store;
    }

    /// As the daemon's thread does it.
    public void renew() {
        ((LeaseKeeper) store.leases()).renew();
    }

    @Override
    public void close() throws StoreException {
        try {
            store.close();
        } catch (java.io.IOException e) {
            throw new StoreException(String.valueOf(e.getMessage()), e);
        }
    }
}
