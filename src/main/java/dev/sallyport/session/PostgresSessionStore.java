package dev.sallyport.session;

import dev.sallyport.config.StorePlace;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The session store of several gateways: a PostgreSQL database. Every change is on its disk before
/// its method returns. See ADR 38.
public final class PostgresSessionStore {
    /// So that two gateways do not make the tables at once; any number would do.
    private static final String ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(7102855170217)";

    private PostgresSessionStore() {}

    /// What a gateway sees of sessions that it does not have.
    enum Sight {
        ALL,

        /// For a gateway of one account, where others with the same store are those of other
        /// accounts.
        OWN
    }

    /// Opens the store, or makes its tables, and takes the sessions that this gateway had before.
    static SessionStore open(StorePlace place, GatewayId gateway, Sight sight)
            throws StoreException {
        return open(place, gateway, Moment::now, PostgresLeases.Terms.STANDARD, sight);
    }

    static SessionStore open(
            StorePlace place,
            GatewayId gateway,
            Moment.Source clock,
            PostgresLeases.Terms terms,
            Sight sight)
            throws StoreException {
        PostgresDatabase database = new PostgresDatabase(place);
        PostgresDatabase second = new PostgresDatabase(place);
        PostgresDatabase third = new PostgresDatabase(place);
        Holdings holdings = new Holdings(clock);
        PostgresLeases leases = new PostgresLeases(second, gateway, holdings, terms);
        LeaseKeeper keeper = new LeaseKeeper(second, leases, holdings);
        try {
            database.together(connection -> prepare(place, connection));
            leases.takeOwn();
            keeper.start(terms);
            return new SqlSessionStore(
                    database,
                    SqlDialect.POSTGRESQL,
                    leases,
                    keeper,
                    new PostgresAudit(place.shown(), database, gateway),
                    Optional.of(new PostgresFleet(third, gateway)),
                    sight == Sight.ALL
                            ? new PostgresOthers(database, leases, gateway)
                            : OtherSessions.NONE);
        } catch (StoreException | RuntimeException e) {
            second.close();
            database.close();
            throw e;
        }
    }

    /// What the store knows of a gateway's audit log, for whoever is not that gateway. The sessions
    /// stay with whoever has them.
    static AuditStore openAudit(StorePlace place, GatewayId gateway) throws StoreException {
        PostgresDatabase database = new PostgresDatabase(place);
        try {
            database.together(connection -> prepare(place, connection));
            return new PostgresAudit(place.shown(), database, gateway);
        } catch (StoreException | RuntimeException e) {
            database.close();
            throw e;
        }
    }

    /// The same, to be read only.
    static AuditStore audit(StorePlace place, GatewayId gateway) {
        return new PostgresAudit(place.shown(), new PostgresDatabase(place), gateway);
    }

    /// An account that may not make tables can use those that are there.
    private static boolean prepare(StorePlace place, Connection connection)
            throws SQLException, StoreException {
        List<String> tables = new ArrayList<>(PostgresLeases.TABLES);
        tables.addAll(PostgresAudit.TABLES);
        tables.addAll(PostgresFleet.TABLES);
        SessionSchema schema = new SessionSchema(place.shown(), SqlDialect.POSTGRESQL, tables);
        try (Statement statement = connection.createStatement()) {
            statement.execute(ONE_AT_A_TIME);
            if (hasTables(statement) && schema.isCurrent(statement)) {
                return false;
            }
        }
        schema.prepare(connection);
        return true;
    }

    private static boolean hasTables(Statement statement) throws SQLException {
        try (ResultSet rows =
                statement.executeQuery("SELECT to_regclass('schema_version') IS NOT NULL")) {
            return rows.next() && rows.getBoolean(1);
        }
    }

    /// What other gateways have in the same PostgreSQL, and what none has at the moment.
    record PostgresOthers(Database database, Fence fence, GatewayId gateway)
            implements OtherSessions {
        private static final String WHERE =
                """
                SELECT session.*, lease.gateway AS holder, lease.until >= now() AS held,
                  known.address AS holder_address,
                  octet_length(session.grants) + octet_length(session.spec) AS bytes
                FROM session
                JOIN session_lease lease ON lease.id = session.id
                LEFT JOIN fleet_gateway known ON known.id = lease.gateway
                WHERE\
                """;
        private static final String AFTER =
                """
                SELECT * FROM (
                  SELECT page.*, sum(bytes) OVER (ORDER BY id) AS bytes_so_far
                  FROM (%s session.id > ? ORDER BY session.id LIMIT %d) page) bounded
                WHERE bytes_so_far - bytes < %d ORDER BY id
                """
                        .formatted(WHERE, PAGE_MAX, PAGE_BYTES_MAX);
        private static final String NAMED = WHERE + " session.name = ?";

        @Override
        public Optional<String> here() {
            return Optional.of(gateway.value());
        }

        @Override
        public Page after(String id) throws StoreException {
            return database.read(
                    AFTER,
                    rows -> {
                        List<Found> found = new ArrayList<>();
                        Optional<String> last = Optional.empty();
                        int read = 0;
                        long bytes = 0;
                        while (rows.next()) {
                            last = Optional.of(rows.getString("id"));
                            read++;
                            bytes = rows.getLong("bytes_so_far");
                            add(rows, found);
                        }
                        boolean whole = read < PAGE_MAX && bytes < PAGE_BYTES_MAX;
                        return new Page(found, whole ? Optional.empty() : last);
                    },
                    id);
        }

        private void add(ResultSet row, List<Found> found) throws SQLException {
            try {
                if (!fence.shows(row)) {
                    found.add(new Found(SessionRow.read(row), place(row)));
                }
            } catch (SessionStore.DamagedException e) {
                // Its own gateway names it. It keeps no other from being seen.
            }
        }

        @Override
        public Optional<Place> place(String name) throws StoreException {
            return named(name, PostgresOthers::place);
        }

        @Override
        public Optional<Found> find(String name) throws StoreException {
            return named(name, row -> new Found(SessionRow.read(row), place(row)));
        }

        private <T> Optional<T> named(String name, Database.Reading<T> reading)
                throws StoreException {
            return database.read(
                    NAMED,
                    rows ->
                            rows.next() && !fence.shows(rows)
                                    ? Optional.of(reading.from(rows))
                                    : Optional.empty(),
                    name);
        }

        private static Place place(ResultSet row) throws SQLException {
            return new Place(
                    row.getString("holder"),
                    Optional.ofNullable(row.getString("holder_address")),
                    row.getBoolean("held"));
        }
    }
}
