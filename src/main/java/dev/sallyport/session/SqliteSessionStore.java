package dev.sallyport.session;

import dev.sallyport.audit.AuditMark;
import dev.sallyport.config.FullDisk;
import dev.sallyport.config.Ownership;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sqlite.SQLiteConfig;

/// The session store of one machine: an embedded SQLite file. Every change is on disk
/// (`synchronous=FULL`) before its method returns.
public final class SqliteSessionStore implements SessionStore {
    private static final int BUSY_MILLIS_MAX = 5_000;

    private final Path database;
    private final Connection connection;

    private SqliteSessionStore(Path database, Connection connection) {
        this.database = database;
        this.connection = connection;
    }

    /// Opens the store, or makes it.
    ///
    /// @param nativeDirectory private directory where SQLite's native library is unpacked; the
    ///   usual place, `/tmp`, is open to others
    public static SqliteSessionStore open(Path database, Path nativeDirectory) throws IOException {
        Ownership.requirePrivateDirectory(nativeDirectory);
        Ownership.createPrivateFile(database);
        System.setProperty("org.sqlite.tmpdir", nativeDirectory.toString());
        try {
            Connection connection = settings().createConnection("jdbc:sqlite:" + database);
            return prepared(database, connection);
        } catch (SQLException e) {
            throw unusable(database, e);
        }
    }

    private static SqliteSessionStore prepared(Path database, Connection connection)
            throws SQLException, StoreException {
        try {
            SessionSchema.prepare(database, connection);
            return new SqliteSessionStore(database, connection);
        } catch (SQLException | StoreException e) {
            connection.close();
            throw e;
        }
    }

    private static SQLiteConfig settings() {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
        config.setBusyTimeout(BUSY_MILLIS_MAX);
        config.enableLoadExtension(false);
        return config;
    }

    @Override
    public synchronized void insert(Session session) throws StoreException {
        if (byName(session.name()).isPresent()) {
            throw new StoreException(
                    "There is already a sandbox named "
                            + session.name()
                            + ". Choose another name.");
        }
        write(SessionRow.INSERT, statement -> SessionRow.bindInsert(statement, session));
    }

    @Override
    public synchronized void update(Session session) throws StoreException {
        int rows = write(SessionRow.UPDATE, statement -> SessionRow.bindUpdate(statement, session));
        if (rows == 0) {
            throw new StoreException("The sandbox " + session.name() + " is gone.");
        }
    }

    @Override
    public synchronized Optional<Session> byName(String name) throws StoreException {
        return one(SessionRow.BY_NAME, name);
    }

    @Override
    public synchronized Optional<Session> byId(SessionId id) throws StoreException {
        return one(SessionRow.BY_ID, id.value());
    }

    private Optional<Session> one(String sql, String key) throws StoreException {
        Contents found = read(sql, statement -> statement.setString(1, key));
        if (!found.damaged().isEmpty()) {
            throw new SessionStore.DamagedException(found.damaged().getFirst());
        }
        return found.sessions().stream().findFirst();
    }

    @Override
    public synchronized Contents contents() throws StoreException {
        return read(SessionRow.ALL, _ -> {});
    }

    @Override
    public synchronized void delete(SessionStore.DamagedRow row) throws StoreException {
        write(SessionRow.DELETE, statement -> statement.setString(1, row.id()));
    }

    @Override
    public synchronized void delete(SessionId id) throws StoreException {
        write(SessionRow.DELETE, statement -> statement.setString(1, id.value()));
    }

    @Override
    public synchronized void recordUse(SessionId id, Usage added, Moment at) throws StoreException {
        Optional<Session> known = byId(id);
        if (known.isPresent()) {
            Usage fitting = known.get().usage().fitting(added);
            Lifetime used = known.get().lifetime().usedAt(at);
            recordTime(id, used.seen());
            // Last: whoever is told that this failed brings the usage again.
            write(
                    SessionRow.RECORD_USE,
                    statement -> SessionRow.bindUse(statement, id, fitting, used));
        }
    }

    @Override
    public synchronized void recordTime(SessionId id, Moment now) throws StoreException {
        Optional<Lifetime> known = byId(id).map(Session::lifetime);
        if (known.isPresent()) {
            Moment seen = known.get().seenAt(now).seen();
            write(SessionRow.RECORD_TIME, statement -> SessionRow.bindTime(statement, id, seen));
        }
    }

    /// One transaction, so that a thousand sandboxes cost the disk as much as one.
    @Override
    public synchronized void recordLook(List<Session> looked, Moment now) throws StoreException {
        try {
            connection.setAutoCommit(false);
            try (PreparedStatement time = connection.prepareStatement(SessionRow.RECORD_TIME);
                    PreparedStatement seen =
                            connection.prepareStatement(SessionRow.RECORD_VERIFIED)) {
                for (Session session : looked) {
                    Moment moment = session.lifetime().seenAt(now).seen();
                    SessionRow.bindTime(time, session.id(), moment);
                    time.executeUpdate();
                    SessionRow.bindVerified(seen, session);
                    seen.executeUpdate();
                }
                connection.commit();
            } catch (SQLException e) {
                connection.rollback();
                throw e;
            } finally {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw unusable(database, e);
        }
    }

    @Override
    public synchronized Optional<String> neighbour(SessionId id, long netNamespaceInode)
            throws StoreException {
        try (PreparedStatement statement = connection.prepareStatement(SessionRow.NEIGHBOUR)) {
            statement.setString(1, id.value());
            statement.setLong(2, netNamespaceInode);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
            }
        } catch (SQLException e) {
            throw unusable(database, e);
        }
    }

    @Override
    public synchronized Optional<AuditMark> auditMark() throws StoreException {
        try {
            return AuditMarkRow.read(connection);
        } catch (SQLException e) {
            throw unusable(database, e);
        }
    }

    @Override
    public synchronized void markAudit(AuditMark mark) throws StoreException {
        write(AuditMarkRow.REPLACE, statement -> AuditMarkRow.bind(statement, mark));
    }

    /// What a store knows of the audit log, for whoever must not change it. There may be none.
    public static Optional<AuditMark> auditMark(Path database, Path nativeDirectory)
            throws IOException {
        if (!Files.exists(database, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        Ownership.requirePrivateFile(database);
        Ownership.createPrivateDirectory(nativeDirectory);
        System.setProperty("org.sqlite.tmpdir", nativeDirectory.toString());
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(BUSY_MILLIS_MAX);
        try (Connection connection = config.createConnection("jdbc:sqlite:" + database)) {
            return AuditMarkRow.read(connection);
        } catch (SQLException e) {
            throw unusable(database, e);
        }
    }

    @Override
    public synchronized void close() throws StoreException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw unusable(database, e);
        }
    }

    private interface Binding {
        void accept(PreparedStatement statement) throws SQLException;
    }

    private int write(String sql, Binding binding) throws StoreException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binding.accept(statement);
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw unusable(database, e);
        }
    }

    private Contents read(String sql, Binding binding) throws StoreException {
        List<Session> sessions = new ArrayList<>();
        List<SessionStore.DamagedRow> damaged = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binding.accept(statement);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    read(rows, sessions, damaged);
                }
            }
            return new Contents(sessions, damaged);
        } catch (SQLException e) {
            throw unusable(database, e);
        }
    }

    private static void read(
            ResultSet rows, List<Session> sessions, List<SessionStore.DamagedRow> damaged)
            throws SQLException {
        try {
            sessions.add(SessionRow.read(rows));
        } catch (SessionStore.DamagedException e) {
            damaged.add(e.row());
        }
    }

    private static StoreException unusable(Path database, SQLException e) {
        if (FullDisk.isCauseOf(e) || FullDisk.isFull(database)) {
            return new StoreException(FullDisk.sentence(database), e);
        }
        return new StoreException(
                "The session store "
                        + database
                        + " cannot be used: "
                        + e.getMessage()
                        + ". Check free space and permissions; if it is damaged, move it aside and run: sallyport up",
                e);
    }
}
