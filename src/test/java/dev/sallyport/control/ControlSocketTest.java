package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Attacks I4 and I5.
class ControlSocketTest {
    @TempDir Path temporary;

    private Home home;

    @BeforeEach
    void makeHome() throws IOException {
        home = new Home(temporary.toRealPath().resolve("home"));
        home.create();
    }

    @Test
    void aPrivateSocketIsAccepted() throws IOException {
        try (ServerSocketChannel _ = listen(home.controlSocket(), "rw-------")) {
            ControlSocket.verify(home);
        }
    }

    @Test
    void aSocketThatOthersMayUseIsRefused() throws IOException {
        for (String mode : new String[] {"rw-rw----", "rw----rw-", "rwx------", "rw----r--"}) {
            try (ServerSocketChannel _ = listen(home.controlSocket(), mode)) {
                assertRefused("chmod 600");
            }
            Files.delete(home.controlSocket());
        }
    }

    @Test
    void aSymlinkToASocketIsRefused() throws IOException {
        Path elsewhere = temporary.resolve("s");
        try (ServerSocketChannel _ = listen(elsewhere, "rw-------")) {
            Files.createSymbolicLink(home.controlSocket(), elsewhere);
            assertRefused("a symlink");
        }
    }

    @Test
    void aFileInItsPlaceIsRefused() throws IOException {
        Files.createFile(home.controlSocket());
        assertRefused("is not a socket");
    }

    @Test
    void anOpenRunDirectoryIsRefused() throws IOException {
        try (ServerSocketChannel _ = listen(home.controlSocket(), "rw-------")) {
            for (String mode : new String[] {"rwxrwx---", "rwx---rwx", "rwxr-x---"}) {
                chmod(home.run(), mode);
                assertRefused("chmod 700");
            }
        }
    }

    @Test
    void anOpenHomeIsRefused() throws IOException {
        try (ServerSocketChannel _ = listen(home.controlSocket(), "rw-------")) {
            chmod(home.root(), "rwxr-xr-x");
            assertRefused("chmod 700");
        }
    }

    @Test
    void aRunDirectoryThatIsASymlinkIsRefused() throws IOException {
        Path real = temporary.resolve("real-run");
        Files.move(home.run(), real);
        Files.createSymbolicLink(home.run(), real);
        try (ServerSocketChannel _ = listen(real.resolve("control.sock"), "rw-------")) {
            assertRefused("a symlink");
        }
    }

    @Test
    void aPathThatIsTooLongForASocketIsRefusedBeforeAnythingIsMade() throws IOException {
        Home deep = new Home(temporary.toRealPath().resolve("d".repeat(100)));
        assertThatThrownBy(deep::create)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("107")
                .hasMessageContaining("shorter");
        assertThat(deep.root()).doesNotExist();
    }

    @Test
    void aStaleSocketMakesWay() throws IOException {
        listen(home.controlSocket(), "rw-------").close();
        assertThat(home.controlSocket()).exists();
        ControlSocket.clear(home);
        assertThat(home.controlSocket()).doesNotExist();
    }

    @Test
    void aLiveSocketStays() throws IOException {
        try (ServerSocketChannel _ = listen(home.controlSocket(), "rw-------")) {
            assertThatThrownBy(() -> ControlSocket.clear(home))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("sallyport down");
            assertThat(home.controlSocket()).exists();
        }
    }

    @Test
    void aForeignFileIsNeverRemoved() throws IOException {
        Path victim = Files.createFile(temporary.resolve("victim"));
        Files.createSymbolicLink(home.controlSocket(), victim);
        assertThatThrownBy(() -> ControlSocket.clear(home)).isInstanceOf(ConfigException.class);
        assertThat(victim).exists();
        assertThat(Files.isSymbolicLink(home.controlSocket())).isTrue();
    }

    @Test
    void theClientSaysThatNothingRunsAndHowToStartIt() {
        assertThatThrownBy(() -> ControlClient.connect(home))
                .isInstanceOfSatisfying(
                        ControlException.class,
                        e -> {
                            assertThat(e.isNotRunning()).isTrue();
                            assertThat(e.problem().remedy()).contains("sallyport up");
                        });
        assertThatThrownBy(() -> ControlClient.connect(new Home(temporary.resolve("none"))))
                .isInstanceOfSatisfying(
                        ControlException.class, e -> assertThat(e.isNotRunning()).isTrue());
    }

    @Test
    void theClientSendsNothingThroughAnUnsafeSocket() throws IOException {
        try (ServerSocketChannel server = listen(home.controlSocket(), "rw-rw-rw-")) {
            server.configureBlocking(false);
            assertThatThrownBy(() -> ControlClient.connect(home))
                    .isInstanceOfSatisfying(
                            ControlException.class,
                            e -> assertThat(e.problem().code()).isEqualTo("unsafe-path"));
            assertThat(server.accept()).isNull();
        }
    }

    private void assertRefused(String says) {
        assertThatThrownBy(() -> ControlSocket.verify(home))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(says);
    }

    private static ServerSocketChannel listen(Path path, String mode) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path));
        chmod(path, mode);
        return server;
    }

    private static void chmod(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }
}
