package dev.sallyport.session;

import dev.sallyport.policy.SessionId;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Renews the leases of a gateway in time and says which are lost. One thread asks the database,
/// however long that takes; another looks at the clock.
final class LeaseKeeper implements SessionLeases {
    private static final System.Logger LOG = System.getLogger(LeaseKeeper.class.getName());
    private static final Duration LOOK = Duration.ofMillis(250);

    /// Between a renewal that failed and the next try: a database that has failed over is found in
    /// time.
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final Database database;
    private final PostgresLeases leases;
    private final Holdings holdings;
    private final ScheduledExecutorService clock =
            Executors.newScheduledThreadPool(
                    2, Thread.ofPlatform().daemon().name("session-leases").factory());
    private volatile Consumer<SessionId> listener = _ -> {};
    private volatile boolean fails;

    /// @param database of the leases alone, so that a renewal waits for nothing else
    LeaseKeeper(Database database, PostgresLeases leases, Holdings holdings) {
        this.database = database;
        this.leases = leases;
        this.holdings = holdings;
    }

    void start(PostgresLeases.Terms terms) {
        next(terms.renewal());
        var _ =
                clock.scheduleWithFixedDelay(
                        this::look, LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// Nothing else asks the database, so there is one renewal at a time.
    private void next(Duration renewal) {
        var _ =
                clock.schedule(
                        () -> {
                            try {
                                renew();
                            } finally {
                                next(renewal);
                            }
                        },
                        (fails ? AGAIN : renewal).toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    void renew() {
        try {
            tell(leases.renew(), "is attached to another gateway, or gone");
            if (fails) {
                LOG.log(System.Logger.Level.INFO, "leases of sessions are renewed again");
            }
            fails = false;
        } catch (StoreException | RuntimeException | OutOfMemoryError e) {
            // Whatever is thrown out of here would be the end of all renewals.
            if (!fails) {
                LOG.log(System.Logger.Level.WARNING, "leases of sessions are not renewed", e);
            }
            fails = true;
        }
    }

    void look() {
        tell(holdings.runOut(), "could not be renewed in time");
    }

    private void tell(Set<String> lost, String why) {
        for (String id : lost) {
            LOG.log(System.Logger.Level.WARNING, "the lease of " + id + " " + why);
            try {
                parse(id).ifPresent(listener);
            } catch (RuntimeException | OutOfMemoryError e) {
                LOG.log(System.Logger.Level.ERROR, "the loss of " + id + " had no effect", e);
            }
        }
    }

    /// A damaged row may have any id; nothing serves it.
    private static Optional<SessionId> parse(String id) {
        try {
            return Optional.of(new SessionId(id));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Override
    public boolean holds(SessionId id) {
        return holdings.holds(id.value());
    }

    @Override
    public boolean take(SessionId id) throws StoreException {
        return leases.take(id.value());
    }

    @Override
    public Optional<Holder> holder(SessionId id) throws StoreException {
        return leases.holder(id.value());
    }

    @Override
    public void release(SessionId id) throws StoreException {
        leases.release(id.value());
    }

    @Override
    public void onLost(Consumer<SessionId> told) {
        listener = told;
    }

    /// A database that is away lets others take the sessions when their leases have run out.
    @Override
    public void close() {
        clock.shutdownNow();
        try {
            leases.release();
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.WARNING, "leases of sessions are not given back", e);
        }
        try {
            database.close();
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.WARNING, "the session store is not closed", e);
        }
    }
}
