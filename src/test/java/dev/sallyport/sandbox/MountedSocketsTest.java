package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// I10: sockets of the host's in what a sandbox has mounted.
class MountedSocketsTest {
    /// Makes a root like a sandbox's, with programs and one directory of the host's in it.
    private static final String ROOT =
            """
            set -e
            mount -t tmpfs none "$0"
            cd "$0"
            mkdir -p usr ".$2"
            mount --rbind /usr usr
            for link in bin lib lib64; do test ! -L /$link || cp -P /$link .; done
            mount --bind "$1" ".$2"
            exec chroot . /usr/bin/env sh -c 'echo ready; exec sleep 60'
            """;

    @TempDir Path directory;
    private Path project;

    @BeforeEach
    void makeProject() throws IOException {
        project = Files.createDirectory(directory.resolve("p"));
    }

    private void socket(String name) throws IOException {
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(project.resolve(name)));
        }
    }

    private MountedSockets mountedAt(String point) throws Exception {
        Path root = Files.createDirectory(directory.resolve("root"));
        Process process =
                Command.of(
                                "unshare",
                                "--user",
                                "--map-root-user",
                                "--mount",
                                "sh",
                                "-c",
                                ROOT,
                                root.toString(),
                                project.toString(),
                                point)
                        .start();
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(said.readLine()).isEqualTo("ready");
            return MountedSockets.of(process.pid());
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /// A project may lie there, although programs of the system do as well.
    @Test
    void aMountBelowADirectoryOfTheSystemIsLookedAt() throws Exception {
        socket("s");
        MountedSockets sockets = mountedAt("/opt/project");
        assertThat(sockets.found()).containsExactly("/opt/project/s");
        assertThat(sockets.partial()).isFalse();
    }

    @Test
    void aMountOnOneOfTheSystemsDirectoriesIsLookedAt() throws Exception {
        socket("s");
        assertThat(mountedAt("/usr/share").found()).containsExactly("/usr/share/s");
    }

    @Test
    void manySocketsDoNotHideOneMore() throws Exception {
        for (int i = 0; i < 30; i++) {
            socket("s" + i);
        }
        assertThat(mountedAt("/opt/project").found()).hasSize(30);
    }
}
