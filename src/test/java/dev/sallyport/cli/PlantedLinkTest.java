package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A mount is what a person sees under its name, and not where a sandbox made that lead.
class PlantedLinkTest {
    @TempDir Path directory;
    private FakeWarden warden;
    private Shell shell;

    @BeforeEach
    void startWarden() throws IOException {
        warden = FakeWarden.start(directory);
        shell = new Shell(warden.home(), directory);
        warden.answer("GET /v1/status", 200, CommandsTest.STATUS);
    }

    @AfterEach
    void stopWarden() throws IOException {
        warden.close();
    }

    @Test
    void i15AMountIsNotReachedThroughALinkThatASandboxCouldHaveMade() throws IOException {
        warden.answer("POST /v1/sandboxes", 200, CommandsTest.VIEW);
        Path real = directory.toRealPath();
        Path had = Files.createDirectories(real.resolve("had"));
        Path mine = Files.createDirectories(real.resolve("mine"));
        Path other = Files.createDirectories(real.resolve("other/sub"));
        String[] plain = {"new", "--no-repo", "--workspace", mine.toString(), "--mount", "had:rw"};
        assertThat(shell.run("", plain)).isZero();

        Files.createSymbolicLink(had.resolve("link"), Path.of("../other"));
        Files.createSymbolicLink(real.resolve("own"), Path.of("had/link"));
        Files.createSymbolicLink(had.resolve("nowhere"), Path.of("../none"));
        int asked = warden.asked().size();
        for (String option : new String[] {"--mount", "--unsafe-mount"}) {
            for (String way : new String[] {"had/link", "had/link/sub:rw", "own:ro"}) {
                plain[4] = option;
                plain[5] = way;
                assertThat(shell.run("", plain)).as(way).isEqualTo(77);
                assertThat(shell.err()).contains(had + "/link").contains(real + "/other");
            }
        }
        plain[5] = "had/nowhere:rw";
        assertThat(shell.run("", plain)).isEqualTo(64);
        assertThat(shell.err()).contains("had/nowhere does not exist");
        assertThat(warden.asked()).hasSize(asked);

        Files.createSymbolicLink(real.resolve("linked"), Path.of("other"));
        plain[5] = "linked/sub:rw";
        assertThat(shell.run("", plain)).as(shell.err()).isZero();
        assertThat(warden.asked().getLast())
                .contains("\"path\":\"" + other + "\",\"writable\":true");
    }
}
