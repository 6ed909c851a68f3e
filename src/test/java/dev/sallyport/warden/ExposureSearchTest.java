package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// I5: only what was read counts as free of secrets.
class ExposureSearchTest {
    private static final String VALUE = "the-value-of-a-secret";

    @TempDir Path directory;
    private final Exposure.ExposureSearch search =
            new Exposure.ExposureSearch(Map.of("api", text -> text.contains(VALUE)));
    private Path process;

    @BeforeEach
    void makeProcess() throws IOException {
        process = directory.resolve("7");
        Files.createDirectories(process.resolve("task/7"));
        Files.writeString(process.resolve("environ"), "PATH=/bin\0");
        Files.writeString(process.resolve("cmdline"), "sleep\0");
        state("S");
    }

    private void state(String state) throws IOException {
        Files.writeString(
                process.resolve("task/7/stat"),
                "7 (x) " + state + " 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 0");
    }

    @Test
    void whatWasReadIsCountedAndWhatIsInItFound() throws IOException {
        search.inProcess(process, () -> true);
        assertThat(search.told()).as("positive control").isEmpty();
        assertThat(search.places()).isEqualTo(2);

        Path file = Files.writeString(directory.resolve("hosts"), "x " + VALUE);
        search.inFile(file);
        assertThat(search.told()).containsExactly("api in " + file);
        assertThat(search.places()).isEqualTo(3);
    }

    /// A directory cannot be read by anybody, root included.
    @Test
    void whatCannotBeReadIsToldAndNotCounted() throws IOException {
        Path environ = process.resolve("environ");
        Files.delete(environ);
        Files.createDirectory(environ);
        search.inProcess(process, () -> true);
        search.inFile(Files.createDirectory(directory.resolve("d")));
        assertThat(search.told())
                .containsExactly(
                        environ + " cannot be read",
                        directory.resolve("d") + " cannot be read",
                        "no environment could be read");
        assertThat(search.places()).isEqualTo(1);
    }

    @Test
    void whatHasEndedMeanwhileIsPassedBy() throws IOException {
        search.inProcess(process, () -> true);
        search.inProcess(directory.resolve("8"), () -> true);
        search.inFile(directory.resolve("gone"));
        state("Z");
        Files.delete(process.resolve("environ"));
        search.inProcess(process, () -> true);
        assertThat(search.told()).isEmpty();
        assertThat(search.places()).isEqualTo(3);
    }

    /// The kernel shows no environment when the first thread has ended, though others run.
    @Test
    void aProcessWithoutItsFirstThreadHasNotEnded() throws IOException {
        Path second = Files.createDirectories(process.resolve("task/9"));
        Files.copy(process.resolve("task/7/stat"), second.resolve("stat"));
        state("Z");
        Files.delete(process.resolve("environ"));
        search.inProcess(process, () -> true);
        assertThat(search.told()).contains(process.resolve("environ") + " cannot be read");
    }

    /// Its environment cannot be opened any more, and its parent never asks for it.
    @Test
    void aZombieHasEnded() throws Exception {
        Process parent = Command.of("sh", "-c", "sh -c 'echo $PPID $$' & exec sleep 60").start();
        try {
            String[] pids = String.valueOf(parent.inputReader().readLine()).split(" ", 2);
            assertThat(pids[0]).isEqualTo(Long.toString(parent.pid()));
            Path zombie = Path.of("/proc", pids[1]);
            awaitZombie(zombie.resolve("stat"));
            search.inProcess(Path.of("/proc", pids[0]), () -> true);
            search.inProcess(zombie, () -> true);
            assertThat(search.told()).isEmpty();
        } finally {
            parent.destroyForcibly().onExit().join();
        }
    }

    private static void awaitZombie(Path stat) throws IOException {
        Await.until(() -> Files.readString(stat).contains(") Z "));
    }

    @Test
    void theTailOfWhatIsTooLargeIsNotTakenAsSearched() throws IOException {
        search.inProcess(process, () -> true);
        Path file = Files.writeString(directory.resolve("f"), "x".repeat(8 << 20) + VALUE);
        search.inFile(file);
        assertThat(search.told()).containsExactly(file + " is too large to be searched");
        assertThat(search.places()).isEqualTo(2);
    }

    @Test
    void findsAreToldBeforeWhatCannotBeRead() throws IOException {
        for (int i = 0; i < 30; i++) {
            search.inFile(Files.createDirectory(directory.resolve("d" + i)));
        }
        Path file = Files.writeString(directory.resolve("f"), VALUE);
        search.inFile(file);
        assertThat(search.told()).startsWith("api in " + file).hasSize(20);
    }

    /// I3: another process has its number by now.
    @Test
    void whatIsNotTheSandboxsIsOpenedButNotRead() throws IOException {
        Path process = Files.createDirectory(directory.resolve("77"));
        Files.writeString(process.resolve("environ"), "TOKEN=value");
        Files.writeString(process.resolve("cmdline"), "value");
        Exposure.ExposureSearch search =
                new Exposure.ExposureSearch(Map.of("hers", text -> text.contains("value")));
        search.inProcess(process, () -> false);
        assertThat(search.places()).isZero();
        assertThat(search.told()).containsExactly("no environment could be read");
        search.inProcess(process, () -> true);
        assertThat(search.told()).contains("hers in " + process.resolve("environ"));
    }
}
