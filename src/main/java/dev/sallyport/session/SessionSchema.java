package dev.sallyport.session;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/// The tables of the session store and their version. A store written by a newer Sallyport is
/// refused: guessing at rights is worse than not starting.
final class SessionSchema {
    static final int VERSION = 4;

    /// Its rows read as they are; version 4 only knows one state more.
    private static final int OLDEST = 3;

    private static final String SESSIONS =
            """
            CREATE TABLE IF NOT EXISTS session (
              id TEXT PRIMARY KEY,
              name TEXT NOT NULL UNIQUE,
              state TEXT NOT NULL,
              ephemeral INTEGER NOT NULL,
              spec TEXT NOT NULL,
              identity TEXT,
              grants TEXT NOT NULL,
              policy_digest TEXT NOT NULL,
              created_millis INTEGER NOT NULL,
              last_used_millis INTEGER NOT NULL,
              expires_millis INTEGER NOT NULL,
              idle_limit_millis INTEGER NOT NULL,
              requests INTEGER NOT NULL,
              bytes_up INTEGER NOT NULL,
              bytes_down INTEGER NOT NULL,
              pushes INTEGER NOT NULL,
              latest_millis INTEGER NOT NULL,
              seen_millis INTEGER NOT NULL,
              seen_boot TEXT NOT NULL,
              seen_uptime_millis INTEGER NOT NULL,
              caps TEXT NOT NULL,
              verified TEXT
            ) STRICT
            """;

    /// The inode of a sandbox's network namespace. What is no JSON, in a damaged row, is in none.
    static final String NAMESPACE =
            "CASE WHEN json_valid(identity) THEN json_extract(identity, '$.netNamespaceInode') END";

    private static final String NAMESPACES =
            "CREATE INDEX IF NOT EXISTS session_namespace ON session (" + NAMESPACE + ")";

    /// At most one row: how far the audit log went.
    private static final String AUDIT_MARK =
            """
            CREATE TABLE IF NOT EXISTS audit_mark (
              id INTEGER PRIMARY KEY CHECK (id = 1),
              seq INTEGER NOT NULL,
              hash TEXT NOT NULL,
              signer TEXT NOT NULL
            ) STRICT
            """;

    private SessionSchema() {}

    static void prepare(Path database, Connection connection) throws SQLException, StoreException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT");
            int version = version(statement);
            if (version > VERSION) {
                throw new StoreException(
                        "The session store "
                                + database
                                + " was written by a newer Sallyport (schema "
                                + version
                                + "). Use that version, or move the file aside.");
            }
            if (version > 0 && version < OLDEST) {
                throw new StoreException(
                        "The session store "
                                + database
                                + " was written by an older Sallyport (schema "
                                + version
                                + ") in a format that this version cannot read. Destroy its sandboxes with that version, then move the file aside.");
            }
            statement.execute(SESSIONS);
            statement.execute(NAMESPACES);
            statement.execute(AUDIT_MARK);
            if (version < VERSION) {
                statement.execute("INSERT INTO schema_version (version) VALUES (" + VERSION + ")");
            }
        }
    }

    private static int version(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT max(version) FROM schema_version")) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }
}
