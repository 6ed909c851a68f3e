package dev.sallyport.session;

import dev.sallyport.audit.AuditMark;
import java.util.Optional;

/// The one row about the audit log of a gateway.
///
/// @param column whose row it is
/// @param key of this gateway, as SQL
record AuditMarkRow(Database database, String column, String key) implements AuditStore {
    private static final String COLUMNS =
            "seq %1$s NOT NULL, hash TEXT NOT NULL, signer TEXT NOT NULL)%2$s";

    /// Of a store that one gateway has for itself: at most one row.
    static final String TABLE_OF_ONE =
            "CREATE TABLE IF NOT EXISTS audit_mark (id INTEGER PRIMARY KEY CHECK (id = 1), "
                    + COLUMNS.formatted(SqlDialect.SQLITE.integer(), SqlDialect.SQLITE.strict());

    static final String TABLE_OF_MANY =
            "CREATE TABLE IF NOT EXISTS audit_mark (gateway TEXT PRIMARY KEY, "
                    + COLUMNS.formatted(
                            SqlDialect.POSTGRESQL.integer(), SqlDialect.POSTGRESQL.strict());

    static AuditMarkRow ofOne(Database database) {
        return new AuditMarkRow(database, "id", "1");
    }

    static AuditMarkRow of(Database database, GatewayId gateway) {
        return new AuditMarkRow(database, "gateway", "'" + gateway.value() + "'");
    }

    @Override
    public Optional<AuditMark> auditMark() throws StoreException {
        return database.read(
                "SELECT seq, hash, signer FROM audit_mark WHERE " + column + " = " + key,
                Database.first(
                        row -> new AuditMark(row.getLong(1), row.getString(2), row.getString(3))));
    }

    @Override
    public void markAudit(AuditMark mark) throws StoreException {
        String sql =
                """
                INSERT INTO audit_mark (%1$s, seq, hash, signer) VALUES (%2$s, ?, ?, ?)
                ON CONFLICT (%1$s) DO UPDATE
                SET seq = excluded.seq, hash = excluded.hash, signer = excluded.signer
                """
                        .formatted(column, key);
        database.write(sql, mark.seq(), mark.hash(), mark.key());
    }

    @Override
    public void close() throws StoreException {
        database.close();
    }
}
