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
    static final String INSERT =
            """
            INSERT INTO session (state, ephemeral, identity, grants, policy_digest,
              created_millis, last_used_millis, expires_millis, idle_limit_millis, verified, id,
              name, spec, requests, bytes_up, bytes_down, pushes, caps, latest_millis,
              seen_millis, seen_boot, seen_uptime_millis)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    /// `last_used_millis` never goes back, because [#RECORD_USE] may have been faster.
    static final String UPDATE =
            """
            UPDATE session SET state = ?, ephemeral = ?, identity = ?, grants = ?,
              policy_digest = ?, created_millis = ?, last_used_millis = max(last_used_millis, ?),
              expires_millis = ?, idle_limit_millis = ?, verified = ?
            WHERE id = ?
            """;

    static final String RECORD_USE =
            """
            UPDATE session SET requests = requests + ?, bytes_up = bytes_up + ?,
              bytes_down = bytes_down + ?, pushes = pushes + ?, last_used_millis = ?
            WHERE id = ?
            """;

    static final String RECORD_TIME =
            """
            UPDATE session SET seen_millis = ?, seen_boot = ?, seen_uptime_millis = ?
            WHERE id = ?
            """;

    /// Only while it is the same one that was looked at.
    static final String RECORD_VERIFIED =
            "UPDATE session SET verified = ? WHERE id = ? AND state = 'RUNNING' AND identity = ?";

    /// Answered by the index of [SessionSchema], without reading the other rows.
    static final String NEIGHBOUR =
            "SELECT name FROM session WHERE id <> ? AND "
                    + SessionSchema.NAMESPACE
                    + " = ? LIMIT 1";

    static final String ALL = "SELECT * FROM session ORDER BY created_millis, id";
    static final String BY_NAME = "SELECT * FROM session WHERE name = ?";
    static final String BY_ID = "SELECT * FROM session WHERE id = ?";
    static final String DELETE = "DELETE FROM session WHERE id = ?";

    private SessionRow() {}

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

    static void bindUpdate(PreparedStatement statement, Session session) throws SQLException {
        Lifetime lifetime = session.lifetime();
        statement.setString(1, session.state().name());
        statement.setBoolean(2, session.ephemeral());
        statement.setString(3, session.identity().map(SessionJson::write).orElse(null));
        statement.setString(4, SessionJson.writeRights(session));
        statement.setString(5, session.policy().digest());
        statement.setLong(6, lifetime.created().toEpochMilli());
        statement.setLong(7, lifetime.lastUsed().toEpochMilli());
        statement.setLong(8, lifetime.expires().toEpochMilli());
        statement.setLong(9, lifetime.idleLimit().toMillis());
        statement.setString(10, session.verified().map(SessionJson::write).orElse(null));
        statement.setString(11, session.id().value());
    }

    /// @param used the lifetime with this use
    static void bindUse(PreparedStatement statement, SessionId id, Usage added, Lifetime used)
            throws SQLException {
        statement.setLong(1, added.requests());
        statement.setLong(2, added.bytesUp());
        statement.setLong(3, added.bytesDown());
        statement.setLong(4, added.pushes());
        statement.setLong(5, used.lastUsed().toEpochMilli());
        statement.setString(6, id.value());
    }

    static void bindTime(PreparedStatement statement, SessionId id, Moment seen)
            throws SQLException {
        bindMoment(statement, 1, seen);
        statement.setString(4, id.value());
    }

    static void bindVerified(PreparedStatement statement, Session looked) throws SQLException {
        statement.setString(1, looked.verified().map(SessionJson::write).orElse(null));
        statement.setString(2, looked.id().value());
        statement.setString(3, looked.identity().map(SessionJson::write).orElse(null));
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
                            row.getBoolean("ephemeral"),
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

    private static Lifetime lifetime(ResultSet row) throws SQLException {
        return new Lifetime(
                Instant.ofEpochMilli(row.getLong("created_millis")),
                Instant.ofEpochMilli(row.getLong("last_used_millis")),
                Instant.ofEpochMilli(row.getLong("expires_millis")),
                Duration.ofMillis(row.getLong("idle_limit_millis")),
                Instant.ofEpochMilli(row.getLong("latest_millis")),
                new Moment(
                        Instant.ofEpochMilli(row.getLong("seen_millis")),
                        row.getString("seen_boot"),
                        Duration.ofMillis(row.getLong("seen_uptime_millis"))));
    }

    private static Usage usage(ResultSet row) throws SQLException {
        return new Usage(
                row.getLong("requests"),
                row.getLong("bytes_up"),
                row.getLong("bytes_down"),
                row.getLong("pushes"));
    }
}
