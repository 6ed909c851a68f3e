package dev.sallyport.session;

import dev.sallyport.fleet.SharedRecords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What gateways share about other machines, in PostgreSQL (ADR 39). One row has the number of the
/// newest change; whoever changes anything locks it first. What was removed stays as a row without
/// a value for an hour, so that others see that it is gone; one who was away for longer reads all.
final class PostgresFleet implements SharedRecords {
    /// They succeed when the tables are there.
    static final List<String> TABLES =
            List.of(
                    """
                    CREATE TABLE IF NOT EXISTS fleet_state (
                      id INTEGER PRIMARY KEY CHECK (id = 1),
                      version BIGINT NOT NULL,
                      pruned BIGINT NOT NULL
                    )
                    """,
                    "INSERT INTO fleet_state VALUES (1, 0, 0) ON CONFLICT (id) DO NOTHING",
                    """
                    CREATE TABLE IF NOT EXISTS fleet_record (
                      kind TEXT NOT NULL,
                      name TEXT NOT NULL,
                      value BYTEA,
                      version BIGINT NOT NULL,
                      at TIMESTAMPTZ NOT NULL DEFAULT now(),
                      PRIMARY KEY (kind, name)
                    )
                    """,
                    "CREATE INDEX IF NOT EXISTS fleet_record_version ON fleet_record (version)",
                    """
                    CREATE INDEX IF NOT EXISTS fleet_record_gone ON fleet_record (at)
                    WHERE value IS NULL
                    """,
                    """
                    CREATE TABLE IF NOT EXISTS fleet_nonce (
                      host TEXT NOT NULL,
                      nonce TEXT NOT NULL,
                      signed_millis BIGINT NOT NULL,
                      at TIMESTAMPTZ NOT NULL DEFAULT now(),
                      PRIMARY KEY (host, nonce)
                    )
                    """,
                    """
                    CREATE TABLE IF NOT EXISTS fleet_gateway (
                      id TEXT PRIMARY KEY,
                      address TEXT NOT NULL,
                      until TIMESTAMPTZ NOT NULL
                    )
                    """);

    private static final String LOCK = "SELECT version, pruned FROM fleet_state FOR UPDATE";
    private static final String LOOK = "SELECT version, pruned FROM fleet_state";

    /// What is kept beside has the version 0.
    private static final String SINCE =
            "SELECT kind, name, value FROM fleet_record WHERE version > ? ORDER BY version";

    private static final String ALL =
            """
            SELECT kind, name, value FROM fleet_record
            WHERE version > 0 AND value IS NOT NULL ORDER BY version
            """;

    private static final String WRITE =
            """
            INSERT INTO fleet_record (kind, name, value, version) VALUES (?, ?, ?, ?)
            ON CONFLICT (kind, name) DO UPDATE
            SET value = excluded.value, version = excluded.version, at = now()
            """;
    private static final String REMOVE =
            """
            UPDATE fleet_record SET value = NULL, version = ?, at = now()
            WHERE kind = ? AND name = ? AND value IS NOT NULL
            """;
    private static final String PRUNE =
            """
            WITH gone AS (
              DELETE FROM fleet_record WHERE value IS NULL AND at < now() - interval '1 hour'
              RETURNING version)
            UPDATE fleet_state
            SET pruned = greatest(pruned, (SELECT coalesce(max(version), 0) FROM gone))
            """;
    private static final String COUNT = "UPDATE fleet_state SET version = ?";

    /// The row with the empty nonce has when the newest request was signed that is no longer
    /// remembered.
    private static final String FORGET_OLD =
            """
            WITH gone AS (
              DELETE FROM fleet_nonce
              WHERE host = ? AND nonce <> '' AND at < now() - interval '10 minutes'
              RETURNING host, signed_millis)
            INSERT INTO fleet_nonce (host, nonce, signed_millis)
            SELECT host, '', max(signed_millis) FROM gone GROUP BY host
            ON CONFLICT (host, nonce) DO UPDATE SET signed_millis =
              greatest(fleet_nonce.signed_millis, excluded.signed_millis)
            """;

    private static final String REMEMBERED =
            """
            SELECT count(*) FILTER (WHERE nonce <> ''),
              coalesce(bool_or(nonce = ? OR (nonce = '' AND signed_millis >= ?)), false)
            FROM fleet_nonce WHERE host = ?
            """;
    private static final String REMEMBER =
            "INSERT INTO fleet_nonce (host, nonce, signed_millis) VALUES (?, ?, ?)";
    private static final String FORGET = "DELETE FROM fleet_nonce WHERE host = ?";

    private static final String KEPT =
            "SELECT value FROM fleet_record WHERE kind = ? AND name = ? AND version = 0";
    private static final String DISCARD =
            "DELETE FROM fleet_record WHERE kind = ? AND name = ? AND version = 0";
    private static final String ANNOUNCE =
            """
            INSERT INTO fleet_gateway (id, address, until)
            VALUES (?, ?, now() + ? * interval '1 second')
            ON CONFLICT (id) DO UPDATE SET address = excluded.address, until = excluded.until
            """;
    private static final String WITHDRAW = "DELETE FROM fleet_gateway WHERE id = ?";
    private static final String GATEWAYS =
            """
            SELECT id, address FROM fleet_gateway WHERE until > now()
            ORDER BY id <> ?, id LIMIT 100
            """;

    /// What somebody changes at the moment is in use; what was changed meanwhile is looked at
    /// again.
    private static final String SWEEP_KEPT =
            """
            WITH old AS (
              SELECT name FROM fleet_record kept
              WHERE kind = ? AND version = 0 AND at < now() - interval '1 hour'
                AND NOT EXISTS (SELECT 1 FROM session WHERE session.id = kept.name)
              ORDER BY name LIMIT ? FOR UPDATE SKIP LOCKED)
            DELETE FROM fleet_record WHERE kind = ? AND version = 0
              AND at < now() - interval '1 hour' AND name IN (SELECT name FROM old)
            """;

    /// A day, because until then a list says where the gateway was that had a session last.
    private static final String SWEEP_GATEWAYS =
            """
            WITH old AS (
              SELECT id FROM fleet_gateway WHERE until < now() - interval '1 day'
              ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED)
            DELETE FROM fleet_gateway
            WHERE until < now() - interval '1 day' AND id IN (SELECT id FROM old)
            """;

    private final Database database;
    private final GatewayId gateway;

    /// @param database of its own: whoever waits for a turn holds up nobody else
    PostgresFleet(Database database, GatewayId gateway) {
        this.database = database;
        this.gateway = gateway;
    }

    @Override
    public <T> T alone(Work<T> work) throws IOException {
        try {
            return database.together(connection -> inTurn(connection, work));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static <T> T inTurn(Connection connection, Work<T> work)
            throws SQLException, StoreException {
        InTurn turn = new InTurn(connection, state(connection, LOCK));
        try {
            return work.with(turn);
        } catch (Failure e) {
            throw e.reason;
        } catch (StoreException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Changes since(long version) throws IOException {
        return database.together(
                connection -> changes(connection, state(connection, LOOK), version));
    }

    private record State(long version, long pruned) {}

    private static State state(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                throw new SQLException("the table fleet_state has no row");
            }
            return new State(rows.getLong(1), rows.getLong(2));
        }
    }

    /// Rows may be newer than the version that was read; they come again next time.
    private static Changes changes(Connection connection, State now, long version)
            throws SQLException, StoreException {
        if (version == now.version()) {
            return new Changes(version, false, List.of());
        }
        // Also after the database was put back to an earlier state.
        boolean whole = version < now.pruned() || version > now.version();
        Database.Reading<List<Row>> rows = Database.each(PostgresFleet::changed);
        List<Row> found =
                whole
                        ? Database.read(connection, ALL, rows)
                        : Database.read(connection, SINCE, rows, Math.max(version, 0));
        return new Changes(now.version(), whole || version == NOTHING, found);
    }

    private static Row changed(ResultSet row) throws SQLException {
        return new Row(row.getString(1), row.getString(2), Optional.ofNullable(row.getBytes(3)));
    }

    /// Carries what the driver says through whoever works in a turn.
    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient SQLException reason;

        Failure(SQLException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    /// A transaction that has locked the one row.
    private static final class InTurn implements Turn {
        private final Connection connection;
        private final State before;
        private boolean counted;

        InTurn(Connection connection, State before) {
            this.connection = connection;
            this.before = before;
        }

        private interface Asking<T> {
            T ask() throws SQLException, StoreException;
        }

        private static <T> T asked(Asking<T> asking) throws StoreException {
            try {
                return asking.ask();
            } catch (SQLException e) {
                throw new Failure(e);
            }
        }

        private void write(String sql, Object... values) throws StoreException {
            var _ = asked(() -> Database.write(connection, sql, values));
        }

        @Override
        public Changes since(long version) throws StoreException {
            return asked(() -> changes(connection, before, version));
        }

        private long count() throws StoreException {
            if (!counted) {
                write(COUNT, before.version() + 1);
                counted = true;
            }
            return version();
        }

        @Override
        public long version() {
            return counted ? before.version() + 1 : before.version();
        }

        @Override
        public void write(String kind, String name, byte[] value) throws StoreException {
            write(WRITE, kind, name, value, count());
        }

        @Override
        public void remove(String kind, String name) throws StoreException {
            write(REMOVE, count(), kind, name);
            write(PRUNE);
        }

        @Override
        public Remembered remember(String host, String nonce, Instant signed, int max)
                throws StoreException {
            write(FORGET_OLD, host);
            Remembered how =
                    asked(
                            () ->
                                    Database.read(
                                            connection,
                                            REMEMBERED,
                                            rows -> seen(rows, max),
                                            nonce,
                                            signed.toEpochMilli(),
                                            host));
            if (how == Remembered.NEW) {
                write(REMEMBER, host, nonce, signed.toEpochMilli());
            }
            return how;
        }

        private static Remembered seen(ResultSet rows, int max) throws SQLException {
            rows.next();
            if (rows.getBoolean(2)) {
                return Remembered.BEFORE;
            }
            return rows.getLong(1) >= max ? Remembered.TOO_MANY : Remembered.NEW;
        }

        @Override
        public void forget(String host) throws StoreException {
            write(FORGET, host);
        }
    }

    @Override
    public Optional<byte[]> kept(String kind, String name) throws IOException {
        return database.read(KEPT, Database.first(row -> row.getBytes(1)), kind, name);
    }

    @Override
    public void keep(String kind, String name, byte[] value) throws IOException {
        database.write(WRITE, kind, name, value, 0L);
    }

    @Override
    public void discard(String kind, String name) throws IOException {
        database.write(DISCARD, kind, name);
    }

    @Override
    public int sweep(String kind) throws IOException {
        int kept = database.write(SWEEP_KEPT, kind, SWEPT_MAX, kind);
        return kept + database.write(SWEEP_GATEWAYS, SWEPT_MAX);
    }

    @Override
    public void announce(String address) throws IOException {
        database.write(ANNOUNCE, gateway.value(), address, ALIVE_SECONDS);
    }

    @Override
    public void withdraw() throws IOException {
        database.write(WITHDRAW, gateway.value());
    }

    @Override
    public List<Gateway> gateways() throws IOException {
        return database.read(
                GATEWAYS,
                Database.each(row -> new Gateway(row.getString(1), row.getString(2))),
                gateway.value());
    }

    @Override
    public void close() throws IOException {
        database.close();
    }
}
