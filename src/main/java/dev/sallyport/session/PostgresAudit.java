package dev.sallyport.session;

import dev.sallyport.audit.AuditMark;
import dev.sallyport.audit.Witness;
import dev.sallyport.audit.WitnessedHeads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// What a shared store knows of the audit log of one gateway: how far it went, and signed heads as
/// a witness keeps them. Heads are added and never changed.
final class PostgresAudit implements AuditStore {
    private static final System.Logger LOG = System.getLogger(PostgresAudit.class.getName());

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

    /// Of the log that is there now, which begins after the last empty one; oldest first.
    private static final String NEWEST =
            """
            SELECT head FROM
              (SELECT number, head FROM audit_head WHERE gateway = ? AND number >
                (SELECT coalesce(max(number), 0) FROM audit_head WHERE gateway = ? AND head = '')
              ORDER BY number DESC LIMIT ?) AS newest
            ORDER BY number
            """;

    /// So many are in memory as text.
    private static final int ROWS_AT_ONCE = 1_000;

    /// Stands where a person began a new log.
    private static final String BEGUN = "";

    private final String shown;
    private final Database database;
    private final GatewayId gateway;
    private final AuditMarkRow mark;
    private final AtomicReference<@Nullable AuditMark> unwritten = new AtomicReference<>();
    private final AtomicBoolean writing = new AtomicBoolean();
    private volatile boolean fails;

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

    /// Returns at once: the disk of this machine must not wait for a database. Only the newest
    /// matters. Where a person begins a new log there is nobody who waits.
    @Override
    public void markAudit(AuditMark reached) throws StoreException {
        if (reached.seq() == 0) {
            add(BEGUN);
            mark.markAudit(reached);
            return;
        }
        unwritten.set(reached);
        if (writing.compareAndSet(false, true)) {
            Thread.ofVirtual().name("audit-mark").start(this::writeMarks);
        }
    }

    private void writeMarks() {
        try {
            while (unwritten.get() != null) {
                writeMark();
            }
            fails = false;
        } catch (StoreException | RuntimeException e) {
            if (!fails) {
                LOG.log(Level.WARNING, "the session store does not take the audit's head", e);
            }
            fails = true;
        } finally {
            writing.set(false);
        }
    }

    /// One that was not taken is kept for the next time, unless there is a newer one.
    private synchronized void writeMark() throws StoreException {
        AuditMark newest = unwritten.getAndSet(null);
        if (newest == null) {
            return;
        }
        try {
            mark.markAudit(newest);
        } catch (StoreException | RuntimeException e) {
            unwritten.compareAndSet(null, newest);
            throw e;
        }
    }

    @Override
    public Witness witness() {
        return this::add;
    }

    private void add(String head) throws StoreException {
        database.write(ADD, gateway.value(), head.stripTrailing());
    }

    @Override
    public WitnessedHeads heads() throws StoreException {
        return database.together(
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(NEWEST)) {
                        statement.setFetchSize(ROWS_AT_ONCE);
                        statement.setString(1, gateway.value());
                        statement.setString(2, gateway.value());
                        statement.setInt(3, WitnessedHeads.HEADS_MAX);
                        return proven(statement);
                    }
                });
    }

    private WitnessedHeads proven(PreparedStatement statement) throws SQLException, StoreException {
        try (ResultSet rows = statement.executeQuery()) {
            return WitnessedHeads.read("audit_head in " + shown, () -> next(rows));
        } catch (IOException e) {
            if (e.getCause() instanceof SQLException broken) {
                throw broken;
            }
            throw new StoreException(String.valueOf(e.getMessage()), e);
        }
    }

    private static @Nullable String next(ResultSet rows) throws IOException {
        try {
            return rows.next() ? rows.getString(1) : null;
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    /// What still waits is written, if the database takes it.
    @Override
    public void close() throws StoreException {
        try {
            writeMark();
        } catch (StoreException e) {
            LOG.log(Level.WARNING, "the session store does not have the audit's last head", e);
        }
        database.close();
    }
}
