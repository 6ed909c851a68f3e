package dev.sallyport.session;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/// The tables of the session store and their version. A store written by a newer Sallyport is
/// refused: guessing at rights is worse than not starting.
///
/// @param store what it is called in complaints
/// @param extra statements for tables that only one of the databases has; they succeed when those
///   are there
record SessionSchema(String store, SqlDialect dialect, List<String> extra) {
    static final int VERSION = 5;

    /// Its rows read as they are; version 4 only knows one state more, and version 5 has tables for
    /// what gateways share about other machines.
    private static final int OLDEST = 3;

    private static final String VERSIONS =
            "CREATE TABLE IF NOT EXISTS schema_version (version %1$s NOT NULL)%2$s";

    private static final String SESSIONS =
            """
            CREATE TABLE IF NOT EXISTS session (
              id TEXT PRIMARY KEY,
              name TEXT NOT NULL UNIQUE,
              state TEXT NOT NULL,
              ephemeral %1$s NOT NULL,
              spec TEXT NOT NULL,
              identity TEXT,
              grants TEXT NOT NULL,
              policy_digest TEXT NOT NULL,
              created_millis %1$s NOT NULL,
              last_used_millis %1$s NOT NULL,
              expires_millis %1$s NOT NULL,
              idle_limit_millis %1$s NOT NULL,
              requests %1$s NOT NULL,
              bytes_up %1$s NOT NULL,
              bytes_down %1$s NOT NULL,
              pushes %1$s NOT NULL,
              latest_millis %1$s NOT NULL,
              seen_millis %1$s NOT NULL,
              seen_boot TEXT NOT NULL,
              seen_uptime_millis %1$s NOT NULL,
              caps TEXT NOT NULL,
              verified TEXT%4$s
            )%2$s
            """;

    private static final String NAMESPACES =
            "CREATE INDEX IF NOT EXISTS session_namespace ON session ((%3$s))";

    void prepare(Connection connection) throws SQLException, StoreException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(spelt(VERSIONS));
            int version = version(statement);
            requireKnown(version);
            statement.execute(spelt(SESSIONS));
            statement.execute(spelt(NAMESPACES));
            for (String more : extra) {
                statement.execute(more);
            }
            if (version < VERSION) {
                statement.execute("INSERT INTO schema_version (version) VALUES (" + VERSION + ")");
            }
        }
    }

    /// Whether all tables are there as this version wants them.
    boolean isCurrent(Statement statement) throws SQLException {
        return version(statement) == VERSION;
    }

    private String spelt(String text) {
        return text.formatted(
                dialect.integer(), dialect.strict(), dialect.namespace(), dialect.shared());
    }

    private void requireKnown(int version) throws StoreException {
        if (version > VERSION) {
            throw new StoreException(
                    "The session store %s was written by a newer Sallyport (schema %s). Use that version, or %s."
                            .formatted(store, version, dialect.elsewhere()));
        }
        if (version > 0 && version < OLDEST) {
            throw new StoreException(
                    "The session store %s was written by an older Sallyport (schema %s) in a format that this version cannot read. Destroy its sandboxes with that version, then %s."
                            .formatted(store, version, dialect.elsewhere()));
        }
    }

    private static int version(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT max(version) FROM schema_version")) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }
}
