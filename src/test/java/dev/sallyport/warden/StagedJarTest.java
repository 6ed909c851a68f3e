package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Person;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a gateway runs is root's alone, whoever's the file is that it was copied from.
final class StagedJarTest {
    private static final int NOBODY = 65_534;
    private static final Instant BUILT = Instant.parse("2026-01-02T03:04:05Z");

    @TempDir private Path dir;
    private Path jar;

    @BeforeEach
    void write() throws Exception {
        jar = Files.writeString(dir.resolve("sallyport.jar"), "one");
        Files.setLastModifiedTime(jar, FileTime.from(BUILT));
    }

    private StagedJar stage() throws Exception {
        return new StagedJar(jar, Optional.of(jar)).stage(dir.resolve("state"));
    }

    @Test
    void theCopyBelongsToWhoMadeIt() throws Exception {
        int own = Person.current().uid();
        if (own == 0) { // Only root gives files away.
            Files.setAttribute(jar, "unix:uid", NOBODY);
            Files.setAttribute(jar, "unix:gid", NOBODY);
        }
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rwxrwxrwx"));

        StagedJar staged = stage();

        for (Path copy : List.of(staged.jar(), staged.aotCache().orElseThrow())) {
            assertThat(copy).hasContent("one");
            assertThat(Files.getAttribute(copy, "unix:uid")).isEqualTo(own);
            assertThat(Files.getAttribute(copy, "unix:gid"))
                    .isEqualTo(Files.getAttribute(copy.getParent(), "unix:gid"));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
                    .isEqualTo("rw-r--r--");
        }
    }

    /// Java takes a class cache only for a jar of the same time.
    @Test
    void theCopyHasTheTimeOfTheFile() throws Exception {
        assertThat(Files.getLastModifiedTime(stage().jar()).toInstant()).isEqualTo(BUILT);
    }

    @Test
    void anotherFileIsAnotherCopy() throws Exception {
        Path first = stage().jar();
        assertThat(stage().jar()).isEqualTo(first);

        Path next = Files.writeString(dir.resolve("next"), "two");
        Files.setLastModifiedTime(next, FileTime.from(BUILT));
        Files.move(next, jar, java.nio.file.StandardCopyOption.REPLACE_EXISTING);

        assertThat(stage().jar()).isNotEqualTo(first).hasContent("two");
        assertThat(first).hasContent("one");
    }
}
