package dev.sallyport.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/// Keeps a gateway from changing a session that another one has taken over. It stands in the
/// statements themselves: between a question and a write there would be time to lose a session.
interface Fence {
    /// Of a store that one gateway has for itself.
    Fence NONE =
            new Fence() {
                @Override
                public String scope() {
                    return "";
                }

                @Override
                public String condition() {
                    return "";
                }

                @Override
                public String columns() {
                    return "";
                }

                @Override
                public void bind(PreparedStatement statement, int index, String id) {}

                @Override
                public boolean shows(ResultSet row) {
                    return true;
                }

                @Override
                public void begin(Connection connection, String id) {}

                @Override
                public void begun(String id) {}

                @Override
                public void end(String id) {}
            };

    /// Added to the condition of what is read: only sessions of this gateway.
    String scope();

    /// Added to the condition of what is written, with one value.
    String condition();

    /// Gives [#condition] its value.
    void bind(PreparedStatement statement, int index, String id) throws SQLException;

    /// Added to the columns that are read, for [#shows]; the row's id is among them already.
    String columns();

    /// Whether this gateway still has what was read.
    boolean shows(ResultSet row) throws SQLException;

    /// A session was inserted, in the same transaction.
    void begin(Connection connection, String id) throws SQLException;

    /// That transaction is over, whatever became of it.
    void begun(String id);

    /// A session was deleted.
    void end(String id);
}
