package dev.sallyport.confine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Root, looking at files for somebody else.
class FileRightsIT {
    private static final int SOMEBODY = 60_001;
    private static final int GROUP = 60_002;
    private static final int OTHER_GROUP = 60_003;

    @TempDir Path directory;

    private final FileRights rights = new FileRights(SOMEBODY, GROUP, List.of(GROUP, OTHER_GROUP));

    @BeforeEach
    void open() throws Exception {
        mode(directory, "rwxr-xr-x");
    }

    private static Path mode(Path path, String mode) throws Exception {
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private Path file(String name, String mode) throws Exception {
        return mode(Files.writeString(directory.resolve(name), "seen"), mode);
    }

    @Test
    void whatOnlyRootCanReadIsNotRead() throws Exception {
        Path file = file("private", "rw-------");
        assertThat(Files.readString(file)).isEqualTo("seen");
        assertThatThrownBy(() -> rights.during(() -> Files.readString(file)))
                .isInstanceOf(AccessDeniedException.class);
        assertThat(Files.readString(file)).as("by other threads, afterwards").isEqualTo("seen");
    }

    @Test
    void whatIsBehindAClosedDirectoryIsNotReached() throws Exception {
        Path closed = mode(Files.createDirectory(directory.resolve("closed")), "rwx------");
        Path file = mode(Files.writeString(closed.resolve("file"), "seen"), "rw-r--r--");
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        assertThatThrownBy(() -> rights.during(() -> Files.readString(link)))
                .isInstanceOf(AccessDeniedException.class);
        mode(closed, "rwxr-xr-x");
        assertThat(rights.during(() -> Files.readString(link))).isEqualTo("seen");
    }

    @Test
    void whatTheAccountOrOneOfItsGroupsMayReadIsRead() throws Exception {
        Path own = file("own", "rw-------");
        Files.setAttribute(own, "unix:uid", SOMEBODY);
        Path shared = file("shared", "rw-r-----");
        Files.setAttribute(shared, "unix:gid", OTHER_GROUP);
        assertThat(rights.during(() -> Files.readString(own) + Files.readString(shared)))
                .isEqualTo("seenseen");
    }

    /// Some capabilities lead past permissions, as those to look into other processes do.
    @Test
    void noCapabilityIsLeft() throws Exception {
        Path status = Path.of("/proc/thread-self/status");
        assertThat(Files.readString(status)).doesNotContain("CapEff:\t0000000000000000");
        assertThat(rights.during(() -> Files.readString(status)))
                .contains(
                        "CapInh:\t0000000000000000",
                        "CapPrm:\t0000000000000000",
                        "CapEff:\t0000000000000000");
    }

    @Test
    void whatTheLookThrowsComesOut() {
        assertThatThrownBy(
                        () ->
                                rights.during(
                                        () -> {
                                            throw new IllegalArgumentException("as it is");
                                        }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("as it is");
    }

    @Test
    void rootsRightsAreNotBorrowed() {
        assertThatThrownBy(() -> new FileRights(0, GROUP, List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
