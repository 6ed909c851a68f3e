package dev.sallyport.session;

import dev.sallyport.config.StorePlace;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// One connection to PostgreSQL, which is made anew after it was lost. What was asked when it broke
/// is not asked again: whether it was done nobody knows, and whoever asked must decide.
final class PostgresDatabase implements Database {
    /// For each host of the store.
    private static final Duration CONNECT_MAX = Duration.ofSeconds(3);

    /// For any answer of the server; its own limits end a statement before that.
    private static final Duration ANSWER_MAX = Duration.ofSeconds(8);

    /// Whoever asks so soon after a failure gets the same answer, so that a queue of people does
    /// not wait for one after the other.
    private static final Duration AGAIN_AFTER = Duration.ofMillis(500);

    /// A connection that has rested for longer is tried first: it may have been cut meanwhile.
    private static final Duration TRUSTED_FOR = Duration.ofSeconds(1);

    /// What was confirmed is on disk; no statement and no lock waits for longer than we would.
    private static final String OPTIONS =
            "-c synchronous_commit=on -c statement_timeout=6s -c lock_timeout=4s"
                    + " -c idle_in_transaction_session_timeout=10s"
                    + " -c default_transaction_isolation=read\\ committed";

    private final StorePlace place;
    private final StoreHosts hosts;
    private @Nullable Connection connection;
    private @Nullable StoreException failure;
    private long usedNanos;
    private long failedNanos;
    private boolean closed;

    PostgresDatabase(StorePlace place) {
        this.place = place;
        this.hosts = new StoreHosts(place.hosts(), System::nanoTime);
    }

    @Override
    public synchronized <T> T ask(Work<T> work) throws StoreException {
        Connection usable = usable();
        try {
            T result = work.on(usable);
            usedNanos = System.nanoTime();
            return result;
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private Connection usable() throws StoreException {
        if (closed) {
            throw new StoreException("The session store " + place.shown() + " is closed.");
        }
        Connection present = connection;
        boolean rested = System.nanoTime() - usedNanos > TRUSTED_FOR.toNanos();
        if (present != null && (!rested || answers(present))) {
            return present;
        }
        drop();
        StoreException last = failure;
        if (last != null && System.nanoTime() - failedNanos < AGAIN_AFTER.toNanos()) {
            throw last;
        }
        return connect();
    }

    private static boolean answers(Connection present) {
        try {
            return present.isValid((int) CONNECT_MAX.toSeconds());
        } catch (SQLException e) {
            return false;
        }
    }

    private Connection connect() throws StoreException {
        try {
            Properties settings = place.driverSettings();
            place.password().ifPresent(word -> settings.setProperty("password", word));
            settings.setProperty("connectTimeout", Long.toString(CONNECT_MAX.toSeconds()));
            settings.setProperty("loginTimeout", Long.toString(ANSWER_MAX.toSeconds()));
            settings.setProperty("socketTimeout", Long.toString(ANSWER_MAX.toSeconds()));
            settings.setProperty("tcpKeepAlive", "true");
            settings.setProperty("ApplicationName", "sallyport");
            settings.setProperty("options", OPTIONS);
            Connection made = connect(settings);
            connection = made;
            failure = null;
            usedNanos = System.nanoTime();
            return made;
        } catch (SQLException e) {
            throw failed(e);
        } catch (IOException e) {
            throw new StoreException(String.valueOf(e.getMessage()), e);
        }
    }

    /// A host that is away is passed over; one that refuses us is the end. One that was dark is not
    /// asked again so soon if another one answers, even if that one takes no writes yet.
    private Connection connect(Properties settings) throws SQLException {
        boolean answered = false;
        SQLException away = new SQLException("no host is named", "08001");
        for (String host : hosts.order()) {
            if (answered && hosts.isDark(host)) {
                continue;
            }
            try {
                Connection made = DriverManager.getConnection(place.driverUrl(host), settings);
                hosts.takesWrites(host);
                return made;
            } catch (SQLException e) {
                if (!isAway(e)) {
                    throw e;
                }
                if (e.getCause() instanceof SocketTimeoutException) {
                    hosts.foundDark(host);
                } else {
                    answered = true;
                }
                away = e;
            }
        }
        throw away;
    }

    /// A server that refuses a statement is there all the same.
    private StoreException failed(SQLException e) {
        if (!isAway(e)) {
            dropUnlessWhole();
            return new StoreException(
                    "The session store %s cannot be used: %s. Check its log, and the rights of the account."
                            .formatted(place.shown(), e.getMessage()),
                    e);
        }
        drop();
        StoreAwayException away = new StoreAwayException(place.shown(), e);
        failure = away;
        failedNanos = System.nanoTime();
        return away;
    }

    /// One that is left within a transaction would confirm what is never committed.
    private void dropUnlessWhole() {
        Connection present = connection;
        try {
            if (present != null && !present.getAutoCommit()) {
                drop();
            }
        } catch (SQLException e) {
            drop();
        }
    }

    /// Connection failures, a server that shuts down or starts, one that takes no writes any more,
    /// and one that has no room for another connection.
    private static boolean isAway(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return state.startsWith("08")
                || state.startsWith("57P")
                || state.equals("53300")
                || state.equals("25006");
    }

    private void drop() {
        Connection present = connection;
        connection = null;
        if (present != null) {
            try {
                present.close();
            } catch (SQLException e) {
                // It is of no use any more, whether it says goodbye or not.
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        drop();
    }

    /// In which order the hosts of a store are asked. The last one that took writes comes first;
    /// one that was dark a moment ago comes last, because each try takes seconds.
    static final class StoreHosts {
        private static final Duration AVOIDED_FOR = Duration.ofSeconds(10);

        private final List<String> hosts;
        private final LongSupplier nanos;
        private final Map<String, Long> darkSince = new HashMap<>();

        /// @param nanos the time, from any beginning
        StoreHosts(List<String> hosts, LongSupplier nanos) {
            this.hosts = new ArrayList<>(hosts);
            this.nanos = nanos;
        }

        List<String> order() {
            List<String> order = new ArrayList<>(hosts);
            order.removeIf(this::isDark);
            hosts.stream().filter(this::isDark).forEach(order::add);
            return order;
        }

        /// Whether nothing was heard from it a moment ago.
        boolean isDark(String host) {
            Long since = darkSince.get(host);
            return since != null && nanos.getAsLong() - since < AVOIDED_FOR.toNanos();
        }

        void foundDark(String host) {
            darkSince.put(host, nanos.getAsLong());
        }

        void takesWrites(String host) {
            darkSince.remove(host);
            hosts.remove(host);
            hosts.addFirst(host);
        }
    }
}
