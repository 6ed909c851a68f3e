package dev.sallyport.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The connection to the tables. It does one thing at a time.
interface Database extends AutoCloseable {
    /// What is asked; it keeps nothing of the connection.
    interface Work<T> {
        T on(Connection connection) throws SQLException, StoreException;
    }

    /// Fills in the values of a statement.
    interface Binding {
        void accept(PreparedStatement statement) throws SQLException;
    }

    /// Makes something of the rows that were found.
    interface Reading<T> {
        T from(ResultSet rows) throws SQLException, StoreException;
    }

    /// What is made of each row, in their order.
    static <T> Reading<List<T>> each(Reading<T> row) {
        return rows -> {
            List<T> found = new ArrayList<>();
            while (rows.next()) {
                found.add(row.from(rows));
            }
            return found;
        };
    }

    /// What is made of the first row, if there is one.
    static <T> Reading<Optional<T>> first(Reading<T> row) {
        return rows -> rows.next() ? Optional.of(row.from(rows)) : Optional.empty();
    }

    /// What a failure of the driver becomes for the person.
    <T> T ask(Work<T> work) throws StoreException;

    @Override
    void close() throws StoreException;

    /// All of it or nothing, and one wait for the disk however much it is.
    default <T> T together(Work<T> work) throws StoreException {
        return ask(connection -> together(connection, work));
    }

    private static <T> T together(Connection connection, Work<T> work)
            throws SQLException, StoreException {
        connection.setAutoCommit(false);
        T result;
        try {
            result = work.on(connection);
            connection.commit();
        } catch (SQLException | StoreException | RuntimeException | Error e) {
            undo(connection, e);
            throw e;
        }
        connection.setAutoCommit(true);
        return result;
    }

    /// Of a connection that is gone nothing is left to undo.
    private static void undo(Connection connection, Throwable reason) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    default int write(String sql, Binding binding) throws StoreException {
        return ask(connection -> write(connection, sql, binding));
    }

    default int write(String sql, Object... values) throws StoreException {
        return write(sql, binding(values));
    }

    static int write(Connection connection, String sql, Object... values) throws SQLException {
        return write(connection, sql, binding(values));
    }

    /// Returns how many rows it changed.
    static int write(Connection connection, String sql, Binding binding) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binding.accept(statement);
            return statement.executeUpdate();
        }
    }

    /// These, in this order: texts, numbers, bytes and arrays.
    private static Binding binding(Object... values) {
        return statement -> {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
        };
    }

    default <T> T read(String sql, Reading<T> reading, Object... values) throws StoreException {
        return ask(connection -> read(connection, sql, reading, values));
    }

    static <T> T read(Connection connection, String sql, Reading<T> reading, Object... values)
            throws SQLException, StoreException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binding(values).accept(statement);
            try (ResultSet rows = statement.executeQuery()) {
                return reading.from(rows);
            }
        }
    }
}
