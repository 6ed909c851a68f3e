package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// I10: the same directory by another name, because the host mounts it twice. No text of a path
/// shows that; file numbers and the kernel's table do.
class BindMountTest {
    private static final String ARRANGE =
            """
            mkdir -p people/me/.ssh/work people/me/project people/me/.sallyport/run a b c d/in e f g
            mount --bind people/me/.ssh a
            mount --bind people/me b
            mount --bind people/me/.ssh/work c
            mount --bind people/me/.ssh d/in
            mount --bind people/me/.sallyport e
            mount -t tmpfs none f
            mount -t devpts none g
            exec "$0" "$@"
            """;

    @TempDir Path directory;

    @Test
    void i10OtherNamesOfCredentialsAreKnown() throws Exception {
        Path root = directory.toRealPath();
        String said =
                Command.of(
                                "unshare",
                                "--user",
                                "--map-root-user",
                                "--mount",
                                "sh",
                                "-ec",
                                ARRANGE,
                                System.getProperty("java.home") + "/bin/java",
                                "-cp",
                                System.getProperty("java.class.path"),
                                MountProbe.class.getName(),
                                root.resolve("people/me").toString(),
                                root.resolve("a").toString(),
                                root.resolve("b").toString(),
                                root.resolve("b/.ssh").toString(),
                                root.resolve("c").toString(),
                                root.resolve("d").toString(),
                                root.resolve("e/run").toString(),
                                root.resolve("f").toString(),
                                root.resolve("g").toString(),
                                root.resolve("b/project").toString())
                        .in(root)
                        .within(Duration.ofMinutes(1))
                        .run()
                        .ok();

        assertThat(said.lines().map(line -> line.substring(root.toString().length() + 1)))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("a ").contains(".ssh", "another name"),
                        line -> assertThat(line).startsWith("b ").contains("another name"),
                        line -> assertThat(line).startsWith("b/.ssh ").contains(".ssh"),
                        line -> assertThat(line).startsWith("c ").contains(".ssh"),
                        line -> assertThat(line).startsWith("d ").contains("d/in is mounted in it"),
                        line -> assertThat(line).startsWith("e/run ").contains("Sallyport's own"),
                        line -> assertThat(line).isEqualTo("f fine"),
                        line -> assertThat(line).startsWith("g ").contains("kernel file system"),
                        line -> assertThat(line).isEqualTo("b/project fine"));
    }

    @Test
    void theTableOfMountsIsReadWithItsEscapes() {
        MountTable table =
                MountTable.parse(
                        """
                        21 1 8:1 / / rw - ext4 /dev/a rw
                        22 21 8:2 /sub /mnt/a\\040b rw,relatime shared:1 master:2 - xfs /dev/b rw
                        23 21 0:5 / /proc rw - proc proc rw
                        """);

        assertThat(table.locate(Path.of("/mnt/a b/c")))
                .contains(new MountTable.Location("8:2", "/sub/c"));
        assertThat(table.locate(Path.of("/mnt/a")))
                .contains(new MountTable.Location("8:1", "/mnt/a"));
        assertThat(table.innermost(Path.of("/proc/1")).orElseThrow().type()).isEqualTo("proc");
        assertThat(table.pointsIn(Path.of("/mnt"))).containsExactly(Path.of("/mnt/a b"));
        assertThat(Files.exists(Path.of("/proc/self/mountinfo"))).isTrue();
    }
}
