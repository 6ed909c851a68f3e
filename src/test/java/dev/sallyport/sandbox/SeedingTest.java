package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Seed;
import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The script that runs inside, in a directory that stands for the home.
class SeedingTest {
    private static final Seed SETTINGS = new Seed(".agent/settings.json", "{\"a\": 'b'}\n");

    @TempDir Path directory;

    private Path home;
    private Path outside;

    @BeforeEach
    void make() throws IOException {
        home = Files.createDirectory(directory.toRealPath().resolve("home"));
        outside = Files.createDirectory(directory.resolve("outside"));
    }

    private void seed(Seed... seeds) throws IOException {
        Path script = directory.resolve("script");
        Files.writeString(script, Seeding.script(List.of(seeds)));
        Command.of("/bin/sh", script.toString()).with("HOME", home.toString()).run().ok();
    }

    @Test
    void areWrittenAsTheyAre() throws IOException {
        String odd = "a 'b' \"c\" $HOME `id` \\n %s ü\n\n";
        seed(SETTINGS, new Seed("-n", odd), new Seed(".agent/empty", ""));
        Path written = home.resolve(SETTINGS.path());
        assertThat(written).hasContent(SETTINGS.content());
        assertThat(Files.readString(home.resolve("-n"))).isEqualTo(odd);
        assertThat(home.resolve(".agent/empty")).isEmptyFile();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(written)))
                .isEqualTo("rw-------");
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(written.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void leaveAloneWhatIsThere() throws IOException {
        Files.createDirectory(home.resolve(".agent"));
        Files.writeString(home.resolve(SETTINGS.path()), "mine");
        seed(SETTINGS, new Seed("other", "x"));
        assertThat(home.resolve(SETTINGS.path())).hasContent("mine");
        assertThat(home.resolve("other")).hasContent("x");
    }

    /// What an agent is told of its login is not what another login left.
    @Test
    void replaceWhatIsThereWhereTheyAreToldTo() throws IOException {
        Files.createDirectory(home.resolve(".agent"));
        Files.writeString(home.resolve(SETTINGS.path()), "of another login");
        Files.createDirectory(home.resolve("directory"));
        Files.createSymbolicLink(home.resolve("link"), outside);
        Command.of("mkfifo", home.resolve("pipe").toString()).run().ok();
        seed(
                new Seed(SETTINGS.path(), "new", true),
                new Seed("directory", "new", true),
                new Seed("link", "new", true),
                new Seed("pipe", "new", true),
                new Seed("fresh", "new", true));
        assertThat(home.resolve(SETTINGS.path())).hasContent("new");
        assertThat(home.resolve("directory")).isEmptyDirectory();
        assertThat(outside).isEmptyDirectory();
        for (String name : List.of("link", "pipe", "fresh")) {
            assertThat(Files.isRegularFile(home.resolve(name), LinkOption.NOFOLLOW_LINKS)).isTrue();
            assertThat(home.resolve(name)).hasContent("new");
        }
        try (var left = Files.list(home)) {
            assertThat(left).hasSize(5);
        }
    }

    @Test
    void goThroughNoLinkThatWasPlanted() throws IOException {
        Files.createSymbolicLink(home.resolve(".agent"), outside);
        Files.createSymbolicLink(home.resolve("dangling"), outside.resolve("made"));
        Files.createSymbolicLink(home.resolve("up"), Path.of(".."));
        seed(
                SETTINGS,
                new Seed("dangling", "x"),
                new Seed("up/outside/x", "x"),
                new Seed("last", "x"));
        assertThat(outside).isEmptyDirectory();
        assertThat(Files.isSymbolicLink(home.resolve("dangling"))).isTrue();
        assertThat(home.resolve("last")).hasContent("x");
    }

    /// Whoever opens a pipe waits for the other side.
    @Test
    void doNotWaitForAPipeNorTripOverAFile() throws IOException {
        Command.of("mkfifo", home.resolve("pipe").toString()).run().ok();
        Files.writeString(home.resolve(".agent"), "no directory");
        seed(new Seed("pipe", "x"), new Seed("pipe/x", "x"), SETTINGS, new Seed("last", "x"));
        assertThat(Files.isRegularFile(home.resolve("pipe"), LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(home.resolve(".agent")).hasContent("no directory");
        assertThat(home.resolve("last")).hasContent("x");
    }
}
