package dev.sallyport.session;

import dev.sallyport.config.StorePlace;
import dev.sallyport.policy.SessionId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// One of several gateways that share a store, on a machine whose clock goes by hand.
final class Gateway implements Moment.Source {
    /// Leases are renewed when a test says so.
    static final PostgresLeases.Terms TERMS =
            new PostgresLeases.Terms(
                    Duration.ofSeconds(300), Duration.ofSeconds(100), Duration.ofDays(1));

    final SessionStore store;
    final List<SessionId> lost = new CopyOnWriteArrayList<>();
    private volatile Moment now;

    Gateway(StorePlace place, int number, Instant wall) throws StoreException {
        now = new Moment(wall, "boot of " + number, Duration.ofDays(number));
        GatewayId id = new GatewayId("%032d".formatted(number));
        store = PostgresSessionStore.open(place, id, this, TERMS, PostgresSessionStore.Sight.ALL);
        store.leases().onLost(lost::add);
    }

    @Override
    public Moment now() {
        return now;
    }

    void pass(Duration time) {
        now = new Moment(now.wall(), now.boot(), now.uptime().plus(time));
    }

    List<Session> all() throws StoreException {
        return store.contents().sessions();
    }

    boolean holds(Session session) {
        return store.leases().holds(session.id());
    }

    boolean takes(Session session) throws StoreException {
        return store.leases().take(session.id());
    }

    void renew() {
        ((LeaseKeeper) store.leases()).renew();
    }
}
