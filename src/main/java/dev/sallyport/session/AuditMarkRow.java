package dev.sallyport.session;

import dev.sallyport.audit.AuditMark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/// The one row about the audit log.
final class AuditMarkRow {
    static final String REPLACE =
            "INSERT OR REPLACE INTO audit_mark (id, seq, hash, signer) VALUES (1, ?, ?, ?)";

    private AuditMarkRow() {}

    static void bind(PreparedStatement statement, AuditMark mark) throws SQLException {
        statement.setLong(1, mark.seq());
        statement.setString(2, mark.hash());
        statement.setString(3, mark.key());
    }

    /// A store of an older Sallyport has no such table.
    static Optional<AuditMark> read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet tables =
                    statement.executeQuery(
                            "SELECT 1 FROM sqlite_master WHERE name = 'audit_mark'")) {
                if (!tables.next()) {
                    return Optional.empty();
                }
            }
            try (ResultSet rows =
                    statement.executeQuery("SELECT seq, hash, signer FROM audit_mark")) {
                return rows.next()
                        ? Optional.of(
                                new AuditMark(
                                        rows.getLong(1), rows.getString(2), rows.getString(3)))
                        : Optional.empty();
            }
        }
    }
}
