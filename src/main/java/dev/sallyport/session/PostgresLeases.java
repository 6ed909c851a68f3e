package dev.sallyport.session;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The leases of one gateway in PostgreSQL. Each session has a row with the gateway that has it, an
/// epoch that grows whenever it is taken, and how long the lease is good by the database's clock. A
/// copy of the epoch is in the session's own row: there it guards every write, and a lease is
/// renewed without touching the session.
///
/// Rows are locked in one order, sessions before leases and by their id.
final class PostgresLeases implements Fence {
    /// How long a lease is good.
    ///
    /// @param good from its renewal, by the database's clock
    /// @param margin how much sooner the holder stops to rely on it, by its own
    /// @param renewal how often it is renewed
    record Terms(Duration good, Duration margin, Duration renewal) {
        static final Terms STANDARD =
                new Terms(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(5));

        Duration relied() {
            return good.minus(margin);
        }
    }

    static final List<String> TABLES =
            List.of(
                    "CREATE INDEX IF NOT EXISTS session_gateway ON session (gateway)",
                    """
                    CREATE TABLE IF NOT EXISTS session_lease (
                      id TEXT PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
                      gateway TEXT NOT NULL,
                      epoch BIGINT NOT NULL,
                      until TIMESTAMPTZ NOT NULL
                    )
                    """);

    private static final String RENEWED = "now() + ? * interval '1 millisecond'";

    private static final String LOCK = "SELECT 1 FROM session WHERE id = ? FOR UPDATE";
    private static final String LOCK_OWN =
            "SELECT 1 FROM session WHERE gateway = ? ORDER BY id FOR UPDATE";
    private static final String TAKE =
            "UPDATE session_lease SET gateway = ?, epoch = epoch + 1, until = "
                    + RENEWED
                    + " WHERE id = ? AND (gateway = ? OR until < now()) RETURNING id, epoch";
    private static final String TAKE_OWN =
            "UPDATE session_lease SET epoch = epoch + 1, until = "
                    + RENEWED
                    + " WHERE gateway = ? RETURNING id, epoch";
    private static final String COPY =
            """
            UPDATE session SET gateway = lease.gateway, epoch = lease.epoch
            FROM session_lease lease WHERE lease.id = session.id AND lease.id = ANY (?)
            """;
    private static final String RENEW =
            "UPDATE session_lease SET until = "
                    + RENEWED
                    + """

                     FROM unnest(?, ?) AS held (id, epoch)
                    WHERE session_lease.id = held.id AND session_lease.epoch = held.epoch
                      AND session_lease.gateway = ?
                    RETURNING session_lease.id, session_lease.epoch
                    """;
    private static final String INSERT =
            "INSERT INTO session_lease (id, gateway, epoch, until) VALUES (?, ?, 1, "
                    + RENEWED
                    + ")";

    private static final String HOLDER =
            "SELECT gateway, until >= now() FROM session_lease WHERE id = ?";

    private final Database database;
    private final GatewayId gateway;
    private final Holdings holdings;
    private final Terms terms;

    PostgresLeases(Database database, GatewayId gateway, Holdings holdings, Terms terms) {
        this.database = database;
        this.gateway = gateway;
        this.holdings = holdings;
        this.terms = terms;
    }

    /// Takes what this gateway had before it was started anew. Nobody else serves it, but a copy of
    /// this gateway's home might: that one is fenced from now on.
    void takeOwn() throws StoreException {
        Duration until = holdings.now().plus(terms.relied());
        Map<String, Long> taken =
                database.together(
                        connection -> {
                            lock(connection, LOCK_OWN, gateway.value());
                            return took(
                                    connection, TAKE_OWN, terms.good().toMillis(), gateway.value());
                        });
        taken.forEach((id, epoch) -> holdings.put(id, epoch, until));
    }

    boolean take(String id) throws StoreException {
        if (holdings.holds(id)) {
            return true;
        }
        Duration until = holdings.now().plus(terms.relied());
        Map<String, Long> taken =
                database.together(
                        connection -> {
                            lock(connection, LOCK, id);
                            return took(
                                    connection,
                                    TAKE,
                                    gateway.value(),
                                    terms.good().toMillis(),
                                    id,
                                    gateway.value());
                        });
        taken.forEach((_, epoch) -> holdings.put(id, epoch, until));
        return !taken.isEmpty();
    }

    private static Map<String, Long> took(Connection connection, String sql, Object... values)
            throws SQLException, StoreException {
        Map<String, Long> taken = epochs(connection, sql, values);
        copy(connection, taken.keySet());
        return taken;
    }

    private static void copy(Connection connection, Set<String> ids) throws SQLException {
        Database.write(connection, COPY, texts(connection, ids));
    }

    private static Array texts(Connection connection, Set<String> ids) throws SQLException {
        return connection.createArrayOf("text", ids.toArray());
    }

    /// Renews all of them in one go.
    ///
    /// @return those that are lost for good
    Set<String> renew() throws StoreException {
        Map<String, Long> asked = holdings.epochs();
        if (asked.isEmpty()) {
            return Set.of();
        }
        Duration until = holdings.now().plus(terms.relied());
        Map<String, Long> renewed = renew(asked, terms.good());
        return holdings.renewed(asked, renewed, until);
    }

    /// Lets others take them at once.
    void release() throws StoreException {
        release(holdings.epochs());
    }

    /// Likewise for one.
    void release(String id) throws StoreException {
        Optional<Long> epoch = holdings.epoch(id);
        if (epoch.isPresent()) {
            release(Map.of(id, epoch.get()));
        }
    }

    private void release(Map<String, Long> asked) throws StoreException {
        asked.keySet().forEach(holdings::remove);
        if (!asked.isEmpty()) {
            renew(asked, Duration.ofMillis(-1));
        }
    }

    Optional<SessionLeases.Holder> holder(String id) throws StoreException {
        return database.read(
                HOLDER,
                Database.first(
                        row -> new SessionLeases.Holder(row.getString(1), row.getBoolean(2))),
                id);
    }

    private Map<String, Long> renew(Map<String, Long> asked, Duration good) throws StoreException {
        return database.ask(
                connection ->
                        epochs(
                                connection,
                                RENEW,
                                good.toMillis(),
                                texts(connection, asked.keySet()),
                                connection.createArrayOf("bigint", asked.values().toArray()),
                                gateway.value()));
    }

    private static void lock(Connection connection, String sql, String whose)
            throws SQLException, StoreException {
        var _ = Database.read(connection, sql, ResultSet::next, whose);
    }

    private static Map<String, Long> epochs(Connection connection, String sql, Object... values)
            throws SQLException, StoreException {
        return Database.read(
                connection,
                sql,
                rows -> {
                    Map<String, Long> epochs = new TreeMap<>();
                    while (rows.next()) {
                        epochs.put(rows.getString(1), rows.getLong(2));
                    }
                    return epochs;
                },
                values);
    }

    @Override
    public String scope() {
        return " AND gateway = '" + gateway.value() + "'";
    }

    @Override
    public String condition() {
        return " AND epoch = ?";
    }

    @Override
    public String columns() {
        return ", epoch";
    }

    /// No session has the epoch of what is not held.
    @Override
    public void bind(PreparedStatement statement, int index, String id) throws SQLException {
        statement.setLong(index, holdings.epoch(id).orElse(-1L));
    }

    @Override
    public boolean shows(ResultSet row) throws SQLException {
        return holdings.epoch(row.getString("id")).equals(Optional.of(row.getLong("epoch")));
    }

    /// Held from before the answer: if that is lost, whoever inserted may still delete.
    @Override
    public void begin(Connection connection, String id) throws SQLException {
        holdings.begin(id, 1, holdings.now().plus(terms.relied()));
        Database.write(connection, INSERT, id, gateway.value(), terms.good().toMillis());
        copy(connection, Set.of(id));
    }

    @Override
    public void begun(String id) {
        holdings.begun(id);
    }

    @Override
    public void end(String id) {
        holdings.remove(id);
    }
}
