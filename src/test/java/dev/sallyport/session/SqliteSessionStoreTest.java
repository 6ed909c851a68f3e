package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteSessionStoreTest extends SessionStoreContract {
    @TempDir Path directory;
    private Path database = Path.of("unset");
    private Path libraries = Path.of("unset");

    @BeforeEach
    void place() throws IOException {
        database = directory.resolve("state.db");
        libraries = directory.resolve("native");
        Ownership.createPrivateDirectory(libraries);
    }

    @Override
    SessionStore open() throws IOException {
        return SqliteSessionStore.open(database, libraries);
    }

    @Override
    void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    @Test
    void itsLibraryIsUnpackedOnceAndAgainWhenItIsDamaged() throws Exception {
        openAsAnotherProcess();
        Path library = libraries.resolve(System.mapLibraryName("sqlitejdbc"));
        byte[] unpacked = Files.readAllBytes(library);
        Object file = Files.getAttribute(library, "unix:ino");
        openAsAnotherProcess();
        assertThat(Files.getAttribute(library, "unix:ino")).isEqualTo(file);

        Files.write(library, Arrays.copyOf(unpacked, unpacked.length / 2));
        openAsAnotherProcess();
        assertThat(Files.readAllBytes(library)).isEqualTo(unpacked);
    }

    private void openAsAnotherProcess() throws Exception {
        System.clearProperty(SqliteSessionStore.LIBRARY_PATH);
        open().close();
    }

    @Test
    void isClosedToOthersWithAllItsFiles() throws Exception {
        try (SessionStore store = open()) {
            store.insert(session("one"));
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .as(file.toString())
                            .isEqualTo("rw-------");
                }
            }
            assertThat(database.resolveSibling("state.db-wal")).exists();
        }
    }

    @Test
    void refusesAFileThatIsNotOursAlone() throws Exception {
        Files.createFile(database);
        Files.setPosixFilePermissions(database, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(this::open).hasMessageContaining("chmod 600");
        Files.delete(database);
        Path target = directory.resolve("target");
        Files.createSymbolicLink(database, target);
        assertThatThrownBy(this::open).hasMessageContaining("symlink");
        assertThat(target).doesNotExist();
    }

    @Test
    void refusesAFileThatIsNoDatabase() throws Exception {
        Ownership.createPrivateFile(database);
        Files.writeString(database, "this is not a database, whatever it may seem to be");
        assertThatThrownBy(this::open)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("move it aside");
    }

    /// The connection is one for all that comes later.
    @Test
    void nothingIsLeftOpenOfWorkThatRanOutOfMemory() throws Exception {
        open().close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database)) {
            Database one = over(connection);
            String change = "UPDATE schema_version SET version = version + 1";
            assertThatThrownBy(
                            () ->
                                    one.together(
                                            on -> {
                                                Database.write(on, change, _ -> {});
                                                throw new OutOfMemoryError("as thrown by a test");
                                            }))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(connection.getAutoCommit()).isTrue();
            open().close();
            one.write(change, _ -> {});
            assertThatThrownBy(this::open).as("control").hasMessageContaining("newer Sallyport");
        }
    }

    private static Database over(Connection connection) {
        return new Database() {
            @Override
            public <T> T ask(Work<T> work) throws StoreException {
                try {
                    return work.on(connection);
                } catch (SQLException e) {
                    throw new StoreException("cannot be used", e);
                }
            }

            @Override
            public void close() {}
        };
    }
}
