package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HomeTest {
    @TempDir Path directory;

    private Home home() {
        return new Home(directory.resolve("home"));
    }

    @Test
    void isNamedByTheEnvironment() throws IOException {
        assertThat(Home.resolve(Map.of("SALLYPORT_HOME", "/a/b/../c")).root())
                .isEqualTo(Path.of("/a/c"));
        assertThat(Home.resolve(Map.of("HOME", "/home/x")).root())
                .isEqualTo(Path.of("/home/x/.sallyport"));
        assertThat(Home.resolve(Map.of("HOME", "/home/x", "SALLYPORT_HOME", "")).root())
                .isEqualTo(Path.of("/home/x/.sallyport"));
        assertThatThrownBy(() -> Home.resolve(Map.of("SALLYPORT_HOME", "relative")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("absolute");
    }

    @Test
    void isMadeClosedToOthers() throws IOException {
        Home home = home();
        home.create();
        home.create();
        home.verify();
        for (Path path :
                List.of(
                        home.root(),
                        home.secrets(),
                        home.authorities(),
                        home.auditDirectory(),
                        home.run(),
                        home.nativeLibraries(),
                        home.sandboxes())) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rwx------");
        }
        SessionId session = new SessionId("0123456789abcdef");
        assertThat(home.sandbox(session).getParent()).isEqualTo(home.sandboxes());
    }

    /// Two command lines may find no home at the same moment.
    @Test
    void canBeMadeByManyAtOnce() throws Exception {
        for (int round = 0; round < 50; round++) {
            Home home = new Home(directory.resolve("home" + round));
            CyclicBarrier start = new CyclicBarrier(4);
            Callable<Home> making =
                    () -> {
                        start.await();
                        home.create();
                        Ownership.createPrivateFile(home.wardenLog());
                        return home;
                    };
            try (ExecutorService makers = Executors.newFixedThreadPool(4)) {
                for (Future<Home> made : makers.invokeAll(Collections.nCopies(4, making))) {
                    made.get().verify();
                }
            }
        }
    }

    @Test
    void refusesSymlinksAtEveryLevelOfItsOwn() throws IOException {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwx------"));
        Files.createSymbolicLink(directory.resolve("home"), elsewhere);
        refused("symlink");
        Files.delete(directory.resolve("home"));

        home().create();
        for (Path level : List.of(home().secrets(), home().nativeLibraries(), home().sandboxes())) {
            Files.delete(level);
            Files.createSymbolicLink(level, elsewhere);
            refused("symlink");
            Files.delete(level);
        }
        assertThat(elsewhere).isEmptyDirectory();
    }

    @Test
    void refusesWhatOthersCanOpenAndDoesNotRepairItSilently() throws IOException {
        Home home = home();
        home.create();
        for (Path level : List.of(home.root(), home.secrets(), home.run())) {
            Files.setPosixFilePermissions(level, PosixFilePermissions.fromString("rwxr-x---"));
            refused("chmod 700 " + level);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(level)))
                    .isEqualTo("rwxr-x---");
            Files.setPosixFilePermissions(level, PosixFilePermissions.fromString("rwx------"));
        }
        home.verify();
    }

    @Test
    void refusesAParentWhereOthersCouldReplaceIt() throws IOException {
        Path parent = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxrwxrwx"));
        Home home = new Home(parent.resolve("home"));
        assertThatThrownBy(home::create).hasMessageContaining("chmod go-w");
        assertThat(Files.exists(home.root(), LinkOption.NOFOLLOW_LINKS)).isFalse();
    }

    @Test
    void refusesAPathThatIsTooLongForASocket() {
        Home home = new Home(directory.resolve("x".repeat(100)));
        assertThatThrownBy(home::create).hasMessageContaining("shorter path");
        assertThat(home.root()).doesNotExist();
    }

    @Test
    void refusesAFileInItsPlace() throws IOException {
        Files.createFile(directory.resolve("home"));
        refused("not a directory");
    }

    private void refused(String because) {
        assertThatThrownBy(() -> home().create())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(because);
    }
}
