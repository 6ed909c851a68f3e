package dev.sallyport.session;

import dev.sallyport.audit.AuditMark;
import dev.sallyport.audit.Witness;
import dev.sallyport.audit.WitnessedHeads;
import dev.sallyport.fleet.SharedRecords;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Sessions in the tables of a [Database], whichever it is.
final class SqlSessionStore implements SessionStore {
    private final Database database;
    private final SessionRow.Statements sql;
    private final Fence fence;
    private final SessionLeases leases;
    private final AuditStore audit;
    private final Optional<SharedRecords> fleet;
    private final OtherSessions others;

    SqlSessionStore(
            Database database,
            SqlDialect dialect,
            Fence fence,
            SessionLeases leases,
            AuditStore audit,
            Optional<SharedRecords> fleet,
            OtherSessions others) {
        this.database = database;
        this.sql = SessionRow.statements(dialect, fence);
        this.fence = fence;
        this.leases = leases;
        this.audit = audit;
        this.fleet = fleet;
        this.others = others;
    }

    @Override
    public SessionLeases leases() {
        return leases;
    }

    @Override
    public OtherSessions others() {
        return others;
    }

    @Override
    public Optional<SharedRecords> fleet() {
        return fleet;
    }

    @Override
    public synchronized void insert(Session session) throws StoreException {
        int inserted;
        try {
            inserted = database.together(connection -> insert(connection, session));
        } finally {
            fence.begun(session.id().value());
        }
        if (inserted == 0) {
            throw new TakenException(session.name());
        }
    }

    private int insert(Connection connection, Session session) throws SQLException {
        int rows =
                Database.write(
                        connection,
                        SessionRow.INSERT,
                        statement -> SessionRow.bindInsert(statement, session));
        if (rows > 0) {
            fence.begin(connection, session.id().value());
        }
        return rows;
    }

    @Override
    public synchronized void update(Session session) throws StoreException {
        int rows =
                database.write(
                        sql.update(),
                        statement -> {
                            int next = SessionRow.bindUpdate(statement, session);
                            fence.bind(statement, next, session.id().value());
                        });
        if (rows == 0) {
            requireGone(session.id().value(), session.name());
            throw new StoreException("The sandbox " + session.name() + " is gone.");
        }
    }

    /// What was not written to is there all the same: somebody else has it now.
    private void requireGone(String id, String name) throws StoreException {
        boolean there =
                database.ask(
                        connection -> {
                            try (PreparedStatement statement =
                                    connection.prepareStatement(SessionRow.IS_THERE)) {
                                statement.setString(1, id);
                                try (ResultSet rows = statement.executeQuery()) {
                                    return rows.next();
                                }
                            }
                        });
        if (there) {
            throw new StaleLeaseException(name);
        }
    }

    @Override
    public synchronized Optional<Session> byName(String name) throws StoreException {
        return one(sql.byName(), name);
    }

    @Override
    public synchronized Optional<Session> byId(SessionId id) throws StoreException {
        return one(sql.byId(), id.value());
    }

    private Optional<Session> one(String text, String key) throws StoreException {
        Contents found = read(text, statement -> statement.setString(1, key));
        if (!found.damaged().isEmpty()) {
            throw new DamagedException(found.damaged().getFirst());
        }
        return found.sessions().stream().findFirst();
    }

    @Override
    public synchronized Contents contents() throws StoreException {
        return read(sql.all(), _ -> {});
    }

    @Override
    public synchronized void delete(DamagedRow row) throws StoreException {
        delete(row.id(), row.name());
    }

    @Override
    public synchronized void delete(SessionId id) throws StoreException {
        delete(id.value(), id.value());
    }

    private void delete(String id, String name) throws StoreException {
        int rows =
                database.write(
                        sql.delete(),
                        statement -> {
                            statement.setString(1, id);
                            fence.bind(statement, 2, id);
                        });
        if (rows == 0) {
            requireGone(id, name);
        }
        fence.end(id);
    }

    @Override
    public synchronized void recordUse(Map<SessionId, Usage> added, Moment at)
            throws StoreException {
        if (!added.isEmpty()) {
            database.together(connection -> new UseBatch(sql, fence).write(connection, added, at));
        }
    }

    @Override
    public synchronized void recordTime(SessionId id, Moment now) throws StoreException {
        Optional<Lifetime> known = byId(id).map(Session::lifetime);
        if (known.isPresent()) {
            Moment seen = known.get().seenAt(now).seen();
            database.write(sql.recordTime(), statement -> bindTime(statement, id, seen));
        }
    }

    private void bindTime(PreparedStatement statement, SessionId id, Moment seen)
            throws SQLException {
        int next = SessionRow.bindTime(statement, id, seen);
        fence.bind(statement, next, id.value());
    }

    /// One transaction, so that a thousand sandboxes cost the disk as much as one; always in the
    /// same order, so that nobody waits for somebody who waits for them.
    @Override
    public synchronized void recordLook(List<Session> looked, Moment now) throws StoreException {
        List<Session> ordered =
                looked.stream()
                        .sorted(Comparator.comparing(session -> session.id().value()))
                        .toList();
        database.together(
                connection -> {
                    try (PreparedStatement time = connection.prepareStatement(sql.recordTime());
                            PreparedStatement seen =
                                    connection.prepareStatement(sql.recordVerified())) {
                        for (Session session : ordered) {
                            bindTime(time, session.id(), session.lifetime().seenAt(now).seen());
                            time.addBatch();
                            int next = SessionRow.bindVerified(seen, session);
                            fence.bind(seen, next, session.id().value());
                            seen.addBatch();
                        }
                        return time.executeBatch().length + seen.executeBatch().length;
                    }
                });
    }

    @Override
    public synchronized Optional<String> neighbour(SessionId id, long netNamespaceInode)
            throws StoreException {
        return database.ask(
                connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement(sql.neighbour())) {
                        statement.setString(1, id.value());
                        statement.setLong(2, netNamespaceInode);
                        try (ResultSet rows = statement.executeQuery()) {
                            return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
                        }
                    }
                });
    }

    @Override
    public Optional<AuditMark> auditMark() throws IOException {
        return audit.auditMark();
    }

    @Override
    public void markAudit(AuditMark mark) throws IOException {
        audit.markAudit(mark);
    }

    @Override
    public Witness witness() {
        return audit.witness();
    }

    @Override
    public WitnessedHeads heads() throws IOException {
        return audit.heads();
    }

    @Override
    public synchronized void close() throws StoreException {
        leases.close();
        audit.close();
        if (fleet.isPresent()) {
            try {
                fleet.get().close();
            } catch (IOException e) {
                throw new StoreException(String.valueOf(e.getMessage()), e);
            }
        }
    }

    private Contents read(String text, Database.Binding binding) throws StoreException {
        return database.ask(
                connection -> {
                    List<Session> sessions = new ArrayList<>();
                    List<DamagedRow> damaged = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(text)) {
                        binding.accept(statement);
                        try (ResultSet rows = statement.executeQuery()) {
                            while (rows.next()) {
                                read(rows, sessions, damaged);
                            }
                        }
                    }
                    return new Contents(sessions, damaged);
                });
    }

    private void read(ResultSet rows, List<Session> sessions, List<DamagedRow> damaged)
            throws SQLException {
        if (!fence.shows(rows)) {
            return;
        }
        try {
            sessions.add(SessionRow.read(rows));
        } catch (DamagedException e) {
            damaged.add(e.row());
        }
    }
}
