package dev.sallyport.session;

import dev.sallyport.config.FullDisk;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.PrivateFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.sqlite.SQLiteConfig;
import org.sqlite.util.OSInfo;

/// The session store of one machine: an embedded SQLite file. Every change is on disk
/// (`synchronous=FULL`) before its method returns.
public final class SqliteSessionStore {
    static final String LIBRARY_PATH = "org.sqlite.lib.path";
    private static final int BUSY_MILLIS_MAX = 5_000;

    private SqliteSessionStore() {}

    /// Opens the store, or makes it.
    ///
    /// @param nativeDirectory private directory where SQLite's native library is unpacked; the
    ///   usual place, `/tmp`, is open to others
    public static SessionStore open(Path database, Path nativeDirectory) throws IOException {
        Ownership.requirePrivateDirectory(nativeDirectory);
        Ownership.createPrivateFile(database);
        return store(connect(database, nativeDirectory, settings()));
    }

    private static SessionStore store(OneFile file) throws StoreException {
        SessionSchema schema =
                new SessionSchema(
                        file.path().toString(),
                        SqlDialect.SQLITE,
                        List.of(AuditMarkRow.TABLE_OF_ONE));
        try {
            file.ask(
                    connection -> {
                        schema.prepare(connection);
                        return schema;
                    });
            return new SqlSessionStore(
                    file,
                    SqlDialect.SQLITE,
                    Fence.NONE,
                    SessionLeases.ALL,
                    AuditMarkRow.ofOne(file),
                    Optional.empty(),
                    OtherSessions.NONE);
        } catch (StoreException e) {
            file.close();
            throw e;
        }
    }

    private static SQLiteConfig settings() {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
        config.setBusyTimeout(BUSY_MILLIS_MAX);
        config.enableLoadExtension(false);
        return config;
    }

    private static OneFile connect(Path database, Path nativeDirectory, SQLiteConfig settings)
            throws StoreException {
        System.setProperty("org.sqlite.tmpdir", nativeDirectory.toString());
        unpackLibrary(nativeDirectory);
        try {
            return new OneFile(database, settings.createConnection("jdbc:sqlite:" + database));
        } catch (SQLException e) {
            throw OneFile.unusable(database, e);
        }
    }

    /// SQLite itself would unpack its library at each start, and then compare it byte by byte with
    /// what it has unpacked, which takes longer than all the rest of opening a store. A process
    /// that has a store open has loaded it.
    private static void unpackLibrary(Path directory) {
        if (System.getProperty(LIBRARY_PATH) != null) {
            return;
        }
        String name = System.mapLibraryName("sqlitejdbc");
        String system = OSInfo.getNativeLibFolderPathForCurrentOS();
        String packed = "/org/sqlite/native/" + system + "/" + name;
        try (InputStream in = SQLiteConfig.class.getResourceAsStream(packed)) {
            if (in == null) {
                return;
            }
            byte[] library = in.readAllBytes();
            Path file = directory.resolve(name);
            if (!Files.exists(file) || !Arrays.equals(library, Files.readAllBytes(file))) {
                PrivateFile.replace(file, library);
            }
            System.setProperty(LIBRARY_PATH, directory.toString());
        } catch (IOException _) {
            // SQLite does it itself then, and says what is in the way.
        }
    }

    static <T> Optional<T> askAudit(
            Path database, Path nativeDirectory, SessionStores.Question<T> question)
            throws IOException {
        if (!Files.exists(database, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try (OneFile file = openToRead(database, nativeDirectory)) {
            return file.has("audit_mark")
                    ? Optional.of(question.of(AuditMarkRow.ofOne(file)))
                    : Optional.empty();
        }
    }

    /// How many sandboxes a store has, without changing it. There may be no store.
    static int sessions(Path database, Path nativeDirectory) throws IOException {
        if (!Files.exists(database, LinkOption.NOFOLLOW_LINKS)) {
            return 0;
        }
        try (OneFile file = openToRead(database, nativeDirectory)) {
            return file.has("session") ? file.number("SELECT count(*) FROM session") : 0;
        }
    }

    private static OneFile openToRead(Path database, Path nativeDirectory) throws IOException {
        Ownership.requirePrivateFile(database);
        Ownership.createPrivateDirectory(nativeDirectory);
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(BUSY_MILLIS_MAX);
        return connect(database, nativeDirectory, config);
    }

    private record OneFile(Path path, Connection connection) implements Database {
        @Override
        public synchronized <T> T ask(Work<T> work) throws StoreException {
            try {
                return work.on(connection);
            } catch (SQLException e) {
                throw unusable(path, e);
            }
        }

        /// A store of an older Sallyport may lack a table.
        boolean has(String table) throws StoreException {
            return number("SELECT count(*) FROM sqlite_master WHERE name = '" + table + "'") > 0;
        }

        int number(String sql) throws StoreException {
            return read(sql, rows -> rows.next() ? rows.getInt(1) : 0);
        }

        @Override
        public synchronized void close() throws StoreException {
            try {
                connection.close();
            } catch (SQLException e) {
                throw unusable(path, e);
            }
        }

        static StoreException unusable(Path database, SQLException e) {
            if (FullDisk.isCauseOf(e) || FullDisk.isFull(database)) {
                return new StoreException(FullDisk.sentence(database), e);
            }
            return new StoreException(
                    "The session store %s cannot be used: %s. Check free space and permissions; if it is damaged, move it aside and run: sallyport up"
                            .formatted(database, e.getMessage()),
                    e);
        }
    }
}
