package dev.sallyport.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// G17: whatever configuration lies about on the machine has no effect and is not even written to.
final class IsolatedGitTest {
    @TempDir Path dir;

    @Test
    void G17_noConfigurationOfTheMachineIsReadOrWritten() throws IOException {
        Path home = Files.createDirectory(dir.resolve("home"));
        Files.createDirectories(home.resolve(".config/git"));
        String planted = "[user]\n\tname = mallory\n[core]\n\thooksPath = /tmp/evil\n";
        Files.writeString(home.resolve(".gitconfig"), planted);
        Files.writeString(home.resolve(".config/git/config"), planted);
        // A git that tells on whoever starts it.
        Path bin = Files.createDirectory(dir.resolve("bin"));
        Path git = Files.writeString(bin.resolve("git"), "#!/bin/sh\ntouch " + dir + "/started\n");
        assertThat(git.toFile().setExecutable(true)).isTrue();

        String said =
                Command.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Duser.home=" + home,
                                "-cp",
                                System.getProperty("java.class.path"),
                                IsolatedChild.class.getName(),
                                dir.resolve("copy").toString())
                        .with("HOME", home.toString())
                        .with("XDG_CONFIG_HOME", home.resolve(".config").toString())
                        .with("GIT_CONFIG_GLOBAL", home.resolve(".gitconfig").toString())
                        .with("PATH", bin + ":/usr/bin:/bin")
                        .run()
                        .ok();

        assertThat(said).contains("name=null", "hooks=null", "env=null", "processes=0");
        assertThat(dir.resolve("started")).doesNotExist();
        try (Stream<Path> all = Files.walk(dir)) {
            assertThat(all.map(path -> String.valueOf(path.getFileName())))
                    .noneMatch(name -> name.contains("jgit") || name.contains("probe"));
        }
    }
}
