package dev.sallyport.session;

import dev.sallyport.audit.AuditMark;
import dev.sallyport.audit.Witness;
import dev.sallyport.audit.WitnessedHeads;
import dev.sallyport.fleet.SharedRecords;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.SessionStore.StaleLeaseException;
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
import java.util.TreeMap;
import java.util.stream.Collectors;

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
        if (database.read(SessionRow.IS_THERE, ResultSet::next, id)) {
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
        Contents found = read(text, key);
        if (!found.damaged().isEmpty()) {
            throw new DamagedException(found.damaged().getFirst());
        }
        return found.sessions().stream().findFirst();
    }

    @Override
    public synchronized Contents contents() throws StoreException {
        return read(sql.all());
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
                            int next = SessionRow.bindTime(time, session, now);
                            fence.bind(time, next, session.id().value());
                            time.addBatch();
                            next = SessionRow.bindVerified(seen, session);
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
        return database.read(
                sql.neighbour(),
                Database.first(row -> row.getString(1)),
                id.value(),
                netNamespaceInode);
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

    private Contents read(String text, Object... values) throws StoreException {
        return database.read(
                text,
                rows -> {
                    List<Session> sessions = new ArrayList<>();
                    List<DamagedRow> damaged = new ArrayList<>();
                    while (rows.next()) {
                        read(rows, sessions, damaged);
                    }
                    return new Contents(sessions, damaged);
                },
                values);
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

    /// What many sessions used, written in one transaction and a few questions to the database.
    ///
    /// All rows are locked first and in the order of their ids, also those that another gateway has
    /// by now: two gateways that bring something for each other's sessions do not wait for one
    /// another.
    record UseBatch(SessionRow.Statements sql, Fence fence) {
        /// Whoever has lost a session brings only what was used before: it counts all the same.
        ///
        /// @return how many sessions there were to write it to
        int write(Connection connection, Map<SessionId, Usage> added, Moment at)
                throws SQLException, StoreException {
            Map<String, Usage> ordered = new TreeMap<>();
            added.forEach((id, used) -> ordered.put(id.value(), used));
            Map<String, SessionRow.Times> held = locked(connection, ordered, at);
            List<String> rest = new ArrayList<>(ordered.keySet());
            rest.removeAll(used(connection, ordered, held));
            return ordered.size() - rest.size() + add(connection, ordered, rest);
        }

        /// The times, with this use, of those that this gateway has. Of one whose row is damaged
        /// nothing is known, and only its counters grow.
        private Map<String, SessionRow.Times> locked(
                Connection connection, Map<String, Usage> ordered, Moment at)
                throws SQLException, StoreException {
            return Database.read(
                    connection,
                    sql.lockForUse(),
                    rows -> {
                        Map<String, SessionRow.Times> held = new TreeMap<>();
                        while (rows.next()) {
                            if (fence.shows(rows)) {
                                read(rows, at, held);
                            }
                        }
                        return held;
                    },
                    list(ordered));
        }

        private static void read(ResultSet row, Moment at, Map<String, SessionRow.Times> held)
                throws SQLException {
            try {
                Lifetime used = SessionRow.lifetime(row).usedAt(at);
                held.put(row.getString("id"), SessionRow.Times.of(used));
            } catch (RuntimeException e) {
                // Whoever reads the whole row names it.
            }
        }

        /// As JSON: ids are hexadecimal digits.
        private static String list(Map<String, Usage> ids) {
            return ids.keySet().stream().collect(Collectors.joining("\",\"", "[\"", "\"]"));
        }

        /// @return those that this was written to
        private List<String> used(
                Connection connection, Map<String, Usage> added, Map<String, SessionRow.Times> held)
                throws SQLException {
            List<String> ids = List.copyOf(held.keySet());
            int[] rows = {};
            try (PreparedStatement statement = connection.prepareStatement(sql.recordUse())) {
                for (String id : ids) {
                    int next = SessionRow.bindUse(statement, id, of(added, id), of(held, id));
                    fence.bind(statement, next, id);
                    statement.addBatch();
                }
                if (!ids.isEmpty()) {
                    rows = statement.executeBatch();
                }
            }
            List<String> written = new ArrayList<>();
            for (int i = 0; i < rows.length; i++) {
                if (rows[i] != 0) {
                    written.add(ids.get(i));
                }
            }
            return written;
        }

        private static int add(Connection connection, Map<String, Usage> added, List<String> ids)
                throws SQLException {
            if (ids.isEmpty()) {
                return 0;
            }
            int written = 0;
            try (PreparedStatement statement = connection.prepareStatement(SessionRow.ADD_USE)) {
                for (String id : ids) {
                    SessionRow.bindAdded(statement, id, of(added, id));
                    statement.addBatch();
                }
                for (int rows : statement.executeBatch()) {
                    written += rows;
                }
            }
            return written;
        }

        private static <T> T of(Map<String, T> all, String id) {
            T one = all.get(id);
            if (one == null) {
                throw new IllegalStateException("not asked for: " + id);
            }
            return one;
        }
    }
}
