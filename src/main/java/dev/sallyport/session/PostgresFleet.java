package dev.sallyport.session;

import dev.sallyport.fleet.SharedRecords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What gateways share about other machines, in PostgreSQL (ADR 39). One row has the number of the
/// newest change; whoever changes anything locks it first. What was removed stays as a row without
/// a value for an hour, so that others see that it is gone; one who was away for longer reads all.
final class PostgresFleet implements SharedRecords {
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
            throws SQLException {
        if (version == now.version()) {
            return new Changes(version, false, List.of());
        }
        // Also after the database was put back to an earlier state.
        boolean whole = version < now.pruned() || version > now.version();
        List<Row> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(whole ? ALL : SINCE)) {
            if (!whole) {
                statement.setLong(1, Math.max(version, 0));
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(
                            new Row(
                                    rows.getString(1),
                                    rows.getString(2),
                                    Optional.ofNullable(rows.getBytes(3))));
                }
            }
        }
        return new Changes(now.version(), whole || version == NOTHING, found);
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
            T ask() throws SQLException;
        }

        private static <T> T asked(Asking<T> asking) {
            try {
                return asking.ask();
            } catch (SQLException e) {
                throw new Failure(e);
            }
        }

        private int write(String sql, Database.Binding binding) {
            return asked(() -> Database.write(connection, sql, binding));
        }

        @Override
        public Changes since(long version) {
            return asked(() -> changes(connection, before, version));
        }

        private long count() {
            if (!counted) {
                write(COUNT, statement -> statement.setLong(1, before.version() + 1));
                counted = true;
            }
            return version();
        }

        @Override
        public long version() {
            return counted ? before.version() + 1 : before.version();
        }

        @Override
        public void write(String kind, String name, byte[] value) {
            long version = count();
            write(WRITE, statement -> bind(statement, kind, name, value, version));
        }

        @Override
        public void remove(String kind, String name) {
            long version = count();
            write(
                    REMOVE,
                    statement -> {
                        statement.setLong(1, version);
                        statement.setString(2, kind);
                        statement.setString(3, name);
                    });
            write(PRUNE, _ -> {});
        }

        @Override
        public Remembered remember(String host, String nonce, Instant signed, int max) {
            write(FORGET_OLD, statement -> statement.setString(1, host));
            Remembered how = asked(() -> lookUp(host, nonce, signed, max));
            if (how == Remembered.NEW) {
                write(
                        REMEMBER,
                        statement -> {
                            statement.setString(1, host);
                            statement.setString(2, nonce);
                            statement.setLong(3, signed.toEpochMilli());
                        });
            }
            return how;
        }

        private Remembered lookUp(String host, String nonce, Instant signed, int max)
                throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(REMEMBERED)) {
                statement.setString(1, nonce);
                statement.setLong(2, signed.toEpochMilli());
                statement.setString(3, host);
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    if (rows.getBoolean(2)) {
                        return Remembered.BEFORE;
                    }
                    return rows.getLong(1) >= max ? Remembered.TOO_MANY : Remembered.NEW;
                }
            }
        }

        @Override
        public void forget(String host) {
            write(FORGET, statement -> statement.setString(1, host));
        }
    }

    private static void bind(
            PreparedStatement statement, String kind, String name, byte[] value, long version)
            throws SQLException {
        statement.setString(1, kind);
        statement.setString(2, name);
        statement.setBytes(3, value);
        statement.setLong(4, version);
    }

    @Override
    public Optional<byte[]> kept(String kind, String name) throws IOException {
        return database.ask(
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(KEPT)) {
                        statement.setString(1, kind);
                        statement.setString(2, name);
                        try (ResultSet rows = statement.executeQuery()) {
                            return rows.next() ? Optional.of(rows.getBytes(1)) : Optional.empty();
                        }
                    }
                });
    }

    @Override
    public void keep(String kind, String name, byte[] value) throws IOException {
        database.write(WRITE, statement -> bind(statement, kind, name, value, 0));
    }

    @Override
    public void discard(String kind, String name) throws IOException {
        database.write(
                DISCARD,
                statement -> {
                    statement.setString(1, kind);
                    statement.setString(2, name);
                });
    }

    @Override
    public int sweep(String kind) throws IOException {
        int kept =
                database.write(
                        SWEEP_KEPT,
                        statement -> {
                            statement.setString(1, kind);
                            statement.setInt(2, SWEPT_MAX);
                            statement.setString(3, kind);
                        });
        return kept + database.write(SWEEP_GATEWAYS, statement -> statement.setInt(1, SWEPT_MAX));
    }

    @Override
    public void announce(String address) throws IOException {
        database.write(
                ANNOUNCE,
                statement -> {
                    statement.setString(1, gateway.value());
                    statement.setString(2, address);
                    statement.setInt(3, ALIVE_SECONDS);
                });
    }

    @Override
    public void withdraw() throws IOException {
        database.write(WITHDRAW, statement -> statement.setString(1, gateway.value()));
    }

    @Override
    public List<Gateway> gateways() throws IOException {
        return database.ask(
                connection -> {
                    List<Gateway> found = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(GATEWAYS)) {
                        statement.setString(1, gateway.value());
                        try (ResultSet rows = statement.executeQuery()) {
                            while (rows.next()) {
                                found.add(new Gateway(rows.getString(1), rows.getString(2)));
                            }
                        }
                    }
                    return found;
                });
    }

    @Override
    public void close() throws IOException {
        database.close();
    }
}
