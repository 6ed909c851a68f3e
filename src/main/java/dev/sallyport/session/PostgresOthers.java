package dev.sallyport.session;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What other gateways have in the same PostgreSQL, and what none has at the moment.
record PostgresOthers(Database database, Fence fence, GatewayId gateway) implements OtherSessions {
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
        return ask(
                AFTER,
                id,
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
                });
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
        return ask(NAMED, name, rows -> isThere(rows) ? Optional.of(place(rows)) : none());
    }

    @Override
    public Optional<Found> find(String name) throws StoreException {
        return ask(
                NAMED,
                name,
                rows ->
                        isThere(rows)
                                ? Optional.of(new Found(SessionRow.read(rows), place(rows)))
                                : none());
    }

    private boolean isThere(ResultSet rows) throws SQLException {
        return rows.next() && !fence.shows(rows);
    }

    private static <T> Optional<T> none() {
        return Optional.empty();
    }

    private static Place place(ResultSet row) throws SQLException {
        return new Place(
                row.getString("holder"),
                Optional.ofNullable(row.getString("holder_address")),
                row.getBoolean("held"));
    }

    private interface Reading<T> {
        T from(ResultSet rows) throws SQLException, StoreException;
    }

    private <T> T ask(String sql, String key, Reading<T> reading) throws StoreException {
        return database.ask(
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        statement.setString(1, key);
                        try (ResultSet rows = statement.executeQuery()) {
                            return reading.from(rows);
                        }
                    }
                });
    }
}
