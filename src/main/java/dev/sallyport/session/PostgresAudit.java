package dev.sallyport.session;

import dev.sallyport.audit.AuditMark;
import dev.sallyport.audit.Witness;
import dev.sallyport.audit.WitnessedHeads;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/// What a shared store knows of the audit log of one gateway: how far it went, and signed heads as
/// a witness keeps them. Heads are added and never changed.
final class PostgresAudit implements AuditStore {
    static final List<String> TABLES =
            List.of(
                    AuditMarkRow.TABLE_OF_MANY,
                    """
                    CREATE TABLE IF NOT EXISTS audit_head (
                      number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                      gateway TEXT NOT NULL,
                      told TIMESTAMPTZ NOT NULL DEFAULT now(),
                      head TEXT NOT NULL
                    )
                    """,
                    "CREATE INDEX IF NOT EXISTS audit_head_gateway ON audit_head (gateway, number)",
                    """
                    CREATE OR REPLACE FUNCTION audit_head_stays() RETURNS trigger AS
                    'BEGIN RAISE EXCEPTION ''heads of the audit log are only added''; END'
                    LANGUAGE plpgsql
                    """,
                    """
                    CREATE OR REPLACE TRIGGER audit_head_stays
                    BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_head
                    FOR EACH STATEMENT EXECUTE FUNCTION audit_head_stays()
                    """);

    private static final String ADD = "INSERT INTO audit_head (gateway, head) VALUES (?, ?)";

    /// Of the log that is there now, which begins after the last empty one.
    private static final String NEWEST =
            """
            SELECT head FROM audit_head WHERE gateway = ? AND number >
              (SELECT coalesce(max(number), 0) FROM audit_head WHERE gateway = ? AND head = '')
            ORDER BY number DESC LIMIT ?
            """;

    /// Stands where a person began a new log.
    private static final String BEGUN = "";

    private final String shown;
    private final Database database;
    private final GatewayId gateway;
    private final AuditMarkRow mark;

    /// @param shown what the store is called in complaints
    PostgresAudit(String shown, Database database, GatewayId gateway) {
        this.shown = shown;
        this.database = database;
        this.gateway = gateway;
        this.mark = AuditMarkRow.of(database, gateway);
    }

    @Override
    public Optional<AuditMark> auditMark() throws StoreException {
        return mark.auditMark();
    }

    @Override
    public void markAudit(AuditMark reached) throws StoreException {
        if (reached.seq() == 0) {
            add(BEGUN);
        }
        mark.markAudit(reached);
    }

    @Override
    public Witness witness() {
        return this::add;
    }

    private void add(String head) throws StoreException {
        database.write(
                ADD,
                statement -> {
                    statement.setString(1, gateway.value());
                    statement.setString(2, head.stripTrailing());
                });
    }

    @Override
    public WitnessedHeads heads() throws IOException {
        Deque<String> heads =
                database.ask(
                        connection -> {
                            try (PreparedStatement statement =
                                    connection.prepareStatement(NEWEST)) {
                                statement.setString(1, gateway.value());
                                statement.setString(2, gateway.value());
                                statement.setInt(3, WitnessedHeads.HEADS_MAX);
                                return oldestFirst(statement);
                            }
                        });
        return WitnessedHeads.read("audit_head in " + shown, heads::pollFirst);
    }

    private static Deque<String> oldestFirst(PreparedStatement statement) throws SQLException {
        Deque<String> heads = new ArrayDeque<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                heads.addFirst(rows.getString(1));
            }
        }
        return heads;
    }

    @Override
    public void close() throws StoreException {
        database.close();
    }
}
