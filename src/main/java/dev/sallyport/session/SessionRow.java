package dev.sallyport.session;

import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.SandboxSpec;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A session as a row. Names are parsed again when it is read, and the rights must still have the
/// digest that was recorded with them.
final class SessionRow {
    /// Changes no row when the name or the id is taken.
    static final String INSERT =
            """
            INSERT INTO session (state, ephemeral, identity, grants, policy_digest,
              created_millis, last_used_millis, expires_millis, idle_limit_millis, verified, id,
              name, spec, requests, bytes_up, bytes_down, pushes, caps, latest_millis,
              seen_millis, seen_boot, seen_uptime_millis)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """;

    static final String IS_THERE = "SELECT 1 FROM session WHERE id = ?";

    /// As much of it as there is room for. A gateway that has been taken over may report anything;
    /// that must not keep a session from ending.
    static final String ADD_USE =
            """
            UPDATE session SET requests = %s, bytes_up = %s, bytes_down = %s, pushes = %s
            WHERE id = ?
            """
                    .formatted(sum("requests"), sum("bytes_up"), sum("bytes_down"), sum("pushes"));

    /// The end of the year 9999.
    private static final long MILLIS_MAX = 253_402_300_799_999L;

    private static final String SEEN = "seen_millis = ?, seen_boot = ?, seen_uptime_millis = ? ";

    /// What [#lifetime] reads.
    private static final String LIFETIME =
            "created_millis, last_used_millis, expires_millis, idle_limit_millis, latest_millis,"
                    + " seen_millis, seen_boot, seen_uptime_millis";

    private static String sum(String column) {
        return "CASE WHEN %1$s > %2$d - ? THEN %2$d ELSE %1$s + ? END"
                .formatted(column, Long.MAX_VALUE);
    }

    /// What is different from one database to another, or where several gateways share one.
    ///
    /// @param neighbour answered by the index of [SessionSchema], without reading the other rows
    /// @param lockForUse the lifetimes of some sessions, which are then changed
    /// @param recordVerified only while it is the same one that was looked at
    record Statements(
            String update,
            String lockForUse,
            String recordUse,
            String recordTime,
            String recordVerified,
            String delete,
            String neighbour,
            String all,
            String byName,
            String byId) {}

    static Statements statements(SqlDialect dialect, Fence fence) {
        String fenced = "WHERE id = ?" + fence.condition();
        String own = fence.scope();
        return new Statements(
                // Never goes back, because a use may have been recorded meanwhile.
                """
                UPDATE session SET state = ?, ephemeral = ?, identity = ?, grants = ?,
                  policy_digest = ?, created_millis = ?,
                  last_used_millis = %s(last_used_millis, ?),
                  expires_millis = ?, idle_limit_millis = ?, verified = ?
                """
                                .formatted(dialect.greatest())
                        + fenced,
                "SELECT id, %s%s FROM session WHERE id %s ORDER BY id%s"
                        .formatted(LIFETIME, fence.columns(), dialect.listed(), dialect.locking()),
                ADD_USE.replace("WHERE id = ?", ", last_used_millis = ?, " + SEEN + fenced),
                "UPDATE session SET " + SEEN + fenced,
                "UPDATE session SET verified = ? WHERE state = 'RUNNING' AND identity = ? AND id = ?"
                        + fence.condition(),
                "DELETE FROM session " + fenced,
                "SELECT name FROM session WHERE id <> ? AND %s = ?%s LIMIT 1"
                        .formatted(dialect.namespace(), own),
                "SELECT * FROM session WHERE true" + own + " ORDER BY created_millis, id",
                "SELECT * FROM session WHERE name = ?" + own,
                "SELECT * FROM session WHERE id = ?" + own);
    }

    static void bindInsert(PreparedStatement statement, Session session) throws SQLException {
        bindUpdate(statement, session);
        statement.setString(12, session.name());
        statement.setString(13, SessionJson.write(session.spec()));
        statement.setLong(14, session.usage().requests());
        statement.setLong(15, session.usage().bytesUp());
        statement.setLong(16, session.usage().bytesDown());
        statement.setLong(17, session.usage().pushes());
        statement.setString(18, SessionJson.write(session.caps()));
        statement.setLong(19, session.lifetime().latest().toEpochMilli());
        bindMoment(statement, 20, session.lifetime().seen());
    }

    private static void bindMoment(PreparedStatement statement, int first, Moment moment)
            throws SQLException {
        statement.setLong(first, moment.wall().toEpochMilli());
        statement.setString(first + 1, moment.boot());
        statement.setLong(first + 2, moment.uptime().toMillis());
    }

    /// Returns the place of the next value, as all of these do.
    static int bindUpdate(PreparedStatement statement, Session session) throws SQLException {
        Lifetime lifetime = session.lifetime();
        statement.setString(1, session.state().name());
        statement.setInt(2, session.ephemeral() ? 1 : 0);
        statement.setString(3, session.identity().map(SessionJson::write).orElse(null));
        statement.setString(4, SessionJson.writeRights(session));
        statement.setString(5, session.policy().digest());
        statement.setLong(6, lifetime.created().toEpochMilli());
        statement.setLong(7, lifetime.lastUsed().toEpochMilli());
        statement.setLong(8, lifetime.expires().toEpochMilli());
        statement.setLong(9, lifetime.idleLimit().toMillis());
        statement.setString(10, session.verified().map(SessionJson::write).orElse(null));
        statement.setString(11, session.id().value());
        return 12;
    }

    /// What a use changes of a lifetime, as numbers that a column has room for.
    record Times(long lastUsedMillis, long seenMillis, String seenBoot, long seenUptimeMillis) {
        /// @throws ArithmeticException for a time that is too far away
        static Times of(Lifetime used) {
            Moment seen = used.seen();
            return new Times(
                    used.lastUsed().toEpochMilli(),
                    seen.wall().toEpochMilli(),
                    seen.boot(),
                    seen.uptime().toMillis());
        }
    }

    /// @param used those of the lifetime with this use
    static int bindUse(PreparedStatement statement, String id, Usage added, Times used)
            throws SQLException {
        int next = bindCounters(statement, added);
        statement.setLong(next, used.lastUsedMillis());
        statement.setLong(next + 1, used.seenMillis());
        statement.setString(next + 2, used.seenBoot());
        statement.setLong(next + 3, used.seenUptimeMillis());
        statement.setString(next + 4, id);
        return next + 5;
    }

    static void bindAdded(PreparedStatement statement, String id, Usage added) throws SQLException {
        statement.setString(bindCounters(statement, added), id);
    }

    private static int bindCounters(PreparedStatement statement, Usage added) throws SQLException {
        int next = 1;
        for (long counter :
                new long[] {added.requests(), added.bytesUp(), added.bytesDown(), added.pushes()}) {
            statement.setLong(next, counter);
            statement.setLong(next + 1, counter);
            next += 2;
        }
        return next;
    }

    static int bindTime(PreparedStatement statement, Session looked, Moment now)
            throws SQLException {
        bindMoment(statement, 1, looked.lifetime().seenAt(now).seen());
        statement.setString(4, looked.id().value());
        return 5;
    }

    static int bindVerified(PreparedStatement statement, Session looked) throws SQLException {
        statement.setString(1, looked.verified().map(SessionJson::write).orElse(null));
        statement.setString(2, looked.identity().map(SessionJson::write).orElse(null));
        statement.setString(3, looked.id().value());
        return 4;
    }

    static Session read(ResultSet row) throws SQLException, SessionStore.DamagedException {
        String id = row.getString("id");
        try {
            SessionId session = new SessionId(id);
            SandboxSpec spec =
                    SessionJson.spec(session, row.getString("name"), row.getString("spec"));
            Optional<Identity> identity =
                    Optional.ofNullable(row.getString("identity")).map(SessionJson::identity);
            SessionJson.Rights rights = SessionJson.rights(row.getString("grants"));
            Session read =
                    new Session(
                            spec,
                            identity,
                            rights.grants(),
                            rights.egress(),
                            lifetime(row),
                            usage(row),
                            row.getInt("ephemeral") != 0,
                            Session.State.valueOf(row.getString("state")),
                            SessionJson.caps(row.getString("caps")),
                            Optional.ofNullable(row.getString("verified"))
                                    .map(SessionJson::verified),
                            rights.asked());
            if (!read.policy().digest().equals(row.getString("policy_digest"))) {
                throw new IllegalArgumentException("its rights were changed");
            }
            return read;
        } catch (RuntimeException | MalformedNameException e) {
            // Whatever is wrong with one must not be the end of all.
            String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new SessionStore.DamagedException(
                    new SessionStore.DamagedRow(id, row.getString("name"), reason));
        }
    }

    /// @throws IllegalArgumentException for a time that cannot be
    static Lifetime lifetime(ResultSet row) throws SQLException {
        return new Lifetime(
                instant(row, "created_millis"),
                instant(row, "last_used_millis"),
                instant(row, "expires_millis"),
                duration(row, "idle_limit_millis"),
                instant(row, "latest_millis"),
                new Moment(
                        instant(row, "seen_millis"),
                        row.getString("seen_boot"),
                        duration(row, "seen_uptime_millis")));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return Instant.ofEpochMilli(possible(column, row.getLong(column)));
    }

    private static Duration duration(ResultSet row, String column) throws SQLException {
        return Duration.ofMillis(possible(column, row.getLong(column)));
    }

    /// What comes after a time at the end of all numbers has no room in a column, and would keep
    /// what is written with it from being written.
    static long possible(String name, long millis) {
        if (millis < 0 || millis > MILLIS_MAX) {
            throw new IllegalArgumentException(
                    name + " is a time that cannot be: " + millis + " ms");
        }
        return millis;
    }

    private static Usage usage(ResultSet row) throws SQLException {
        return new Usage(
                row.getLong("requests"),
                row.getLong("bytes_up"),
                row.getLong("bytes_down"),
                row.getLong("pushes"));
    }
}
