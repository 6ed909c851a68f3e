package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewayAccountTest {
    @TempDir Path parent;

    private GatewayAccount account;

    @BeforeEach
    void choose() {
        account =
                new GatewayAccount(OptionalInt.empty(), 1, parent, "g", parent.resolve("mirrors"));
    }

    @Test
    void everyGatewayHasADirectoryOfItsOwnThatOthersCannotEnter() throws IOException {
        Path first = account.makeDirectory();
        assertThat(account.makeDirectory()).isNotEqualTo(first);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first)))
                .isEqualTo("rwx------");
        assertThat(GatewayAccount.work(first)).isEmptyDirectory();
    }

    @Test
    void itsSocketsFitWhereverTheControlSocketDoes() throws IOException {
        Path socket = account.makeDirectory().resolve("m.sock");
        assertThat(socket.toString().length())
                .isLessThanOrEqualTo(parent.resolve("control.sock").toString().length());
    }

    @Test
    void aSweepRemovesWhatGatewaysLeftAndNothingElse() throws IOException {
        Path left = account.makeDirectory();
        Files.writeString(GatewayAccount.work(left).resolve("spool"), "x");
        Path log = Files.createFile(parent.resolve("gateway.log"));
        Path other = Files.createDirectory(parent.resolve("native"));
        account.sweep();
        assertThat(left).doesNotExist();
        assertThat(log).exists();
        assertThat(other).exists();
    }

    @Test
    void aDirectoryIsAbandonedWhenNoProcessIsToldOfIt() throws IOException {
        String used = account.makeDirectory().toString();
        String left = account.makeDirectory().toString();
        Process gateway =
                new ProcessBuilder("sh", "-c", "echo; read line; exit", "sh", used).start();
        // Before it runs, its command line cannot be read.
        assertThat(gateway.inputReader().readLine()).isEmpty();
        try {
            assertThat(GatewayDirectories.abandoned(account)).containsExactly(left);
        } finally {
            gateway.destroyForcibly().onExit().join();
        }
        assertThat(GatewayDirectories.abandoned(account)).containsExactlyInAnyOrder(left, used);
    }

    @Test
    void aSymlinkInTheWayLeadsNowhere() throws IOException {
        Path victim = Files.createDirectory(parent.resolve("victim"));
        Path precious = Files.createFile(victim.resolve("precious"));
        Path left = account.makeDirectory();
        Files.createSymbolicLink(GatewayAccount.work(left).resolve("link"), victim);
        SecureRemoval.remove(left);
        assertThat(left).doesNotExist();
        assertThat(precious).exists();
    }
}
