package dev.sallyport.confine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LandlockTest {
    @TempDir private Path directory;

    private int status(Confinement confinement, String script)
            throws IOException, InterruptedException {
        return ConfinedStart.of(
                        new ProcessBuilder("/bin/sh", "-c", script, "sh", directory.toString())
                                .redirectErrorStream(true)
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD),
                        confinement)
                .waitFor();
    }

    @Test
    void leavesAProcessOnlyTheFilesItIsGiven() throws IOException, InterruptedException {
        Path own = Files.createDirectory(directory.resolve("own"));
        Files.writeString(directory.resolve("secret"), "x");
        Files.writeString(own.resolve("note"), "x");
        Confinement confinement =
                Confinement.toFiles(
                        List.of(
                                Path.of("/usr"),
                                Path.of("/bin"),
                                Path.of("/lib"),
                                Path.of("/lib64"),
                                Path.of("/etc"),
                                Path.of("/proc"),
                                Path.of(System.getProperty("java.home")),
                                directory.resolve("absent")),
                        List.of(own, Path.of("/dev/null")));

        assertThat(Landlock.version()).as("this machine's kernel has Landlock").isPositive();
        assertThat(status(confinement, "cat \"$1/own/note\"")).isZero();
        assertThat(status(confinement, "echo y >\"$1/own/new\" && rm \"$1/own/new\"")).isZero();
        for (String attempt :
                List.of(
                        "cat \"$1/secret\"",
                        "ls \"$1\"",
                        "cat \"$1/own/../secret\"",
                        "echo y >\"$1/new\"",
                        "ln \"$1/secret\" \"$1/own/link\"",
                        "echo y >>/etc/hosts-of-nobody")) {
            assertThat(status(confinement, attempt)).as(attempt).isNotZero();
        }
        assertThat(status(() -> {}, "cat \"$1/secret\" && ls \"$1\"")).isZero();
        assertThat(directory.resolve("new")).doesNotExist();
    }

    /// The thread that started the process is the one that gave something up, and no other.
    @Test
    void leavesTheRestOfTheProcessAlone() throws IOException, InterruptedException {
        Path secret = Files.writeString(directory.resolve("secret"), "x");
        status(Confinement.toFiles(List.of(Path.of("/")), List.of(Path.of("/dev/null"))), "true");
        assertThat(Files.readString(secret)).isEqualTo("x");
        assertThat(Files.writeString(secret, "y")).exists();
    }
}
