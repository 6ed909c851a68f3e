package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MirrorDirectoryTest {
    @TempDir Path dir;

    @Test
    void itIsMadeOnceAndClosedToOthers() throws IOException {
        GatewayAccount account = account();
        MirrorDirectory.prepare(account, new Home(dir));
        Path kept = Files.createFile(account.mirrors().resolve("kept"));
        MirrorDirectory.prepare(account, new Home(dir));
        assertThat(kept).exists();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(account.mirrors())))
                .isEqualTo("rwx------");
    }

    @Test
    void oneThatIsOpenToOthersIsRefused() throws IOException {
        GatewayAccount account = account();
        MirrorDirectory.prepare(account, new Home(dir));
        Files.setPosixFilePermissions(
                account.mirrors(), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> MirrorDirectory.prepare(account, new Home(dir)))
                .isInstanceOf(ConfigException.class);
    }

    @Test
    void theCopiesOfAnInstallationThatIsGoneAreSwept() throws IOException {
        Path gone = mirrors("mirrors-gone", dir.resolve("no-such-home"));
        Path there = mirrors("mirrors-there", dir);
        MirrorDirectory.sweep(dir);
        assertThat(gone).doesNotExist();
        assertThat(dir.resolve("mirrors-gone.home")).doesNotExist();
        assertThat(there.resolve("copy")).exists();
    }

    @Test
    void theCopiesOfOneWhoseHomeCannotBeReadStayAndTheSweepGoesOn() throws IOException {
        Path noPath = mirrors("mirrors-a", dir);
        Files.write(dir.resolve("mirrors-a.home"), new byte[] {'/', 0, 'x'});
        Path noText = mirrors("mirrors-b", dir);
        Files.write(dir.resolve("mirrors-b.home"), new byte[] {'/', (byte) 0xff});
        Path gone = mirrors("mirrors-c", dir.resolve("no-such-home"));
        MirrorDirectory.sweep(dir);
        assertThat(noPath.resolve("copy")).exists();
        assertThat(noText.resolve("copy")).exists();
        assertThat(gone).doesNotExist();
    }

    @Test
    void whatItsGatewaysLeftGoesWithThemButNotWhileOneWorks() throws Exception {
        Path mirrors = mirrors("mirrors-gone", dir.resolve("no-such-home"));
        Path left = dir.resolve("gateway-gone-0a1b");
        Files.createDirectories(left.resolve("work"));
        Path other = Files.createDirectory(dir.resolve("gateway-there-0a1b"));
        Process gateway =
                new ProcessBuilder("sh", "-c", "echo; read line; exit", "sh", left.toString())
                        .start();
        // Before it runs, its command line cannot be read.
        assertThat(gateway.inputReader().readLine()).isEmpty();
        try {
            MirrorDirectory.sweep(dir);
            assertThat(left).exists();
            assertThat(mirrors.resolve("copy")).exists();
        } finally {
            gateway.destroyForcibly().onExit().join();
        }
        MirrorDirectory.sweep(dir);
        assertThat(left).doesNotExist();
        assertThat(mirrors).doesNotExist();
        assertThat(other).exists();
    }

    @Test
    void wardensThatSweepTogetherDoNotHinderEachOther() throws Exception {
        for (int i = 0; i < 100; i++) {
            mirrors("mirrors-" + i, dir.resolve("no-such-home"));
        }
        try (ExecutorService wardens = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Void> sweep =
                    () -> {
                        MirrorDirectory.sweep(dir);
                        return null;
                    };
            for (Future<Void> warden : wardens.invokeAll(Collections.nCopies(8, sweep))) {
                warden.get();
            }
        }
        assertThat(dir).isEmptyDirectory();
    }

    private Path mirrors(String name, Path home) throws IOException {
        Path mirrors = Files.createDirectory(dir.resolve(name));
        Files.createFile(mirrors.resolve("copy"));
        Files.writeString(dir.resolve(name + ".home"), home.toString());
        return mirrors;
    }

    private GatewayAccount account() {
        return new GatewayAccount(OptionalInt.empty(), 1, dir, "g", dir.resolve("mirrors"));
    }
}
