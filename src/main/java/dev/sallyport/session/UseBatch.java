package dev.sallyport.session;

import dev.sallyport.policy.SessionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What many sessions used, written in one transaction and a few questions to the database.
///
/// All rows are locked first and in the order of their ids, also those that another gateway has by
/// now: two gateways that bring something for each other's sessions do not wait for one another.
record UseBatch(SessionRow.Statements sql, Fence fence) {
    /// Whoever has lost a session brings only what was used before: it counts all the same.
    ///
    /// @return how many sessions there were to write it to
    int write(Connection connection, Map<SessionId, Usage> added, Moment at) throws SQLException {
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
            Connection connection, Map<String, Usage> ordered, Moment at) throws SQLException {
        Map<String, SessionRow.Times> held = new TreeMap<>();
        try (PreparedStatement statement = connection.prepareStatement(sql.lockForUse())) {
            statement.setString(1, list(ordered));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    if (fence.shows(rows)) {
                        read(rows, at, held);
                    }
                }
            }
        }
        return held;
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
