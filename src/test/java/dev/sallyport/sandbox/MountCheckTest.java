package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Command;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// I10: what may be mounted besides the workspace, and what a person can insist on.
class MountCheckTest {
    @TempDir Path directory;
    private Path home;
    private Path workspace;
    private Path shared;
    private Person person;
    private Installation installation;

    @BeforeEach
    void makeHome() throws Exception {
        home = Files.createDirectories(directory.toRealPath().resolve("people/me"));
        workspace = Files.createDirectory(home.resolve("project"));
        shared = Files.createDirectory(home.resolve("shared"));
        Person current = Person.current();
        person = new Person(current.uid(), current.gid(), "me", home);
        installation = new Installation(Files.createDirectory(home.resolve(".sallyport")));
    }

    private Workspace.Checked check(Map<Path, String> named, HostMount... mounts)
            throws SandboxException {
        return Workspace.check(
                workspace,
                new Mounts(List.of(mounts), List.of(), true),
                new MountRules(person, installation, named),
                person);
    }

    private static HostMount mount(Path path) {
        return new HostMount(path, false, false);
    }

    private static HostMount unsafe(Path path) {
        return new HostMount(path, false, true);
    }

    private void assertRefused(HostMount mount, String reason) {
        assertThatThrownBy(() -> check(Map.of(), mount))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void filesAndDirectoriesAreMountedByTheirCanonicalPath() throws Exception {
        Path file = Files.writeString(shared.resolve("file"), "x");
        Path link = Files.createSymbolicLink(home.resolve("link"), shared);

        assertThat(check(Map.of(), mount(link), mount(file)).mounts().extra())
                .containsExactly(mount(shared), mount(file));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/proc/self/root/usr",
                "/proc/self/cwd",
                "/proc/self/root",
                "/dev/fd",
                "/dev/shm",
                "/sys/kernel",
                "/etc/passwd",
                "/var/run"
            })
    void pathsThroughTheKernelAndTheSystemAreRefused(String path) {
        assertThatThrownBy(() -> check(Map.of(), mount(Path.of(path))))
                .isInstanceOf(SandboxException.class);
    }

    @Test
    void credentialsAreRefusedThroughLinksAndParentsAndInsistedOnByName() throws Exception {
        Path keys = Files.createDirectory(home.resolve(".ssh"));
        Path link = Files.createSymbolicLink(home.resolve("innocent"), keys);

        assertRefused(mount(link), "credentials");
        assertRefused(mount(shared.resolve("../.ssh")), "credentials");
        assertRefused(mount(home), "home directory");
        assertThat(check(Map.of(), unsafe(link)).mounts().extra()).containsExactly(unsafe(keys));
    }

    @Test
    void whatTheEnvironmentNamesIsRefused() throws Exception {
        Path keys = Files.createDirectories(shared.resolve("kube/config.d"));

        assertThat(check(Map.of(), mount(keys)).mounts().extra()).hasSize(1);
        assertThatThrownBy(() -> check(Map.of(shared.resolve("kube"), "KUBECONFIG"), mount(keys)))
                .hasMessageContaining("$KUBECONFIG");
    }

    @Test
    void sallyportsOwnHomeAndTheKernelsStayRefusedWhenInsistedOn() throws Exception {
        assertRefused(unsafe(installation.home()), "Sallyport's own");
        assertRefused(unsafe(home), "Sallyport's own");
        assertRefused(unsafe(Path.of("/proc")), "cannot be mounted");
        assertRefused(unsafe(Path.of("/")), "whole file system");
    }

    @Test
    void socketsAndPipesAreRefusedAsMountsAndSocketsInDirectories() throws Exception {
        Path pipe = shared.resolve("pipe");
        Command.of("mkfifo", pipe.toString()).run().ok();
        assertRefused(mount(pipe), "a socket, a device or a pipe");
        assertThat(check(Map.of(), mount(shared)).mounts().searched()).isTrue();

        Path socket = Files.createDirectory(shared.resolve("deep")).resolve("s");
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            assertRefused(mount(socket), "a socket, a device or a pipe");
            assertRefused(mount(shared), socket + ", which would let");
            assertThat(check(Map.of(), mount(shared), unsafe(socket)).mounts().extra())
                    .containsExactly(mount(shared), unsafe(socket));
        }
    }

    @Test
    void aSocketInTheWorkspaceIsRefused() throws Exception {
        Path socket = workspace.resolve("s");
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            assertThatThrownBy(() -> check(Map.of()))
                    .hasMessageContaining(socket.toString())
                    .hasMessageContaining("--unsafe-mount");
        }
    }

    @Test
    void aSearchThatDoesNotComeToAnEndSaysSo() throws Exception {
        for (int i = 0; i < 10; i++) {
            Files.createFile(shared.resolve("f" + i));
        }
        SocketSearch all = new SocketSearch(100, Duration.ofMinutes(1));
        all.in(shared);
        SocketSearch few = new SocketSearch(5, Duration.ofMinutes(1));
        few.in(shared);
        SocketSearch brief = new SocketSearch(100, Duration.ofNanos(-1));
        brief.in(shared);

        assertThat(all.isPartial()).isFalse();
        assertThat(few.isPartial()).isTrue();
        assertThat(brief.isPartial()).isTrue();
    }

    @Test
    void onlyPlainFilesOfTheWorkspaceCanBeHidden() throws Exception {
        Path secret = Files.writeString(workspace.resolve(".env"), "x");
        Path link = Files.createSymbolicLink(workspace.resolve("link"), secret);
        Path outside = Files.writeString(shared.resolve("outside"), "x");
        Path real = Files.createDirectory(workspace.resolve("real"));
        Files.writeString(real.resolve("key"), "x");
        Files.createSymbolicLink(workspace.resolve("way"), real);

        assertThat(Workspace.HiddenFile.check(workspace, Path.of(".env"))).isEqualTo(secret);
        for (Path path :
                List.of(
                        link,
                        Path.of("way/key"),
                        outside,
                        workspace,
                        Path.of("missing"),
                        Path.of("../shared/outside"))) {
            assertThatThrownBy(() -> Workspace.HiddenFile.check(workspace, path))
                    .isInstanceOf(SandboxException.class)
                    .hasMessageContaining("cannot be hidden");
        }
    }

    @Test
    void memoryIsHalfOfTheMachinesButNotTooLittle() {
        assertThat(Resources.halfOfMemory("MemTotal:       16777216 kB\nMemFree: 1 kB\n"))
                .isEqualTo(8L << 30);
        assertThat(Resources.halfOfMemory("MemTotal:  1000 kB\n")).isEqualTo(2L << 30);
        assertThat(Resources.halfOfMemory("")).isEqualTo(2L << 30);
    }
}
