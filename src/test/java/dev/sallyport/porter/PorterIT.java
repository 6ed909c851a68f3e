package dev.sallyport.porter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Plans;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.ProcessIdentity;
import dev.sallyport.sandbox.SandboxBench;
import dev.sallyport.sandbox.bubblewrap.BubblewrapRuntime;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sockets inside a real sandbox, by whichever porter this account can use. Runs as root here and
/// as an ordinary user in [PorterAsOrdinaryUserIT].
class PorterIT {
    private static final List<Opening> ALL = Opening.doors();

    @TempDir Path directory;
    private Porter porter;
    private SandboxBench sandbox;

    @BeforeEach
    void create() throws Exception {
        porter = Porter.forThisProcess();
        Path workspace = Files.createDirectory(directory.toRealPath().resolve("work"));
        var installation = new Installation(Files.createDirectory(directory.resolve("home")));
        sandbox =
                SandboxBench.create(
                        new BubblewrapRuntime(installation, Person.current()),
                        installation,
                        workspace);
    }

    @AfterEach
    void destroy() throws Exception {
        sandbox.close();
    }

    private List<Listener> open() throws IOException {
        return porter.open(sandbox.identity.pid(), sandbox.identity.netNamespaceInode(), ALL);
    }

    @Test
    void theSandboxReachesTheSocketsOnEveryLoopbackAddress() throws Exception {
        List<Listener> listeners = open();
        Socket http = new Socket(listeners.getFirst().descriptor().intValue());

        assertThat(listeners).extracting(Listener::opening).isEqualTo(ALL);
        for (String address : List.of("127.0.0.1", "127.64.3.2")) {
            var plan =
                    sandbox.plan(
                            false,
                            Map.of(),
                            "bash",
                            "-c",
                            "exec 3<>/dev/tcp/" + address + "/80; cat <&3");
            Process client = Plans.command(plan).start();
            greet(http);

            assertThat(client.getInputStream().readAllBytes()).asString().isEqualTo("hello");
        }
        closeAll(listeners);
    }

    @Test
    void datagramsArriveToo() throws Exception {
        List<Listener> listeners = open();
        Socket dns =
                new Socket(
                        listeners
                                .get(ALL.indexOf(new Opening.Door(ListenerKind.DNS_UDP)))
                                .descriptor()
                                .intValue());
        sandbox.sh("echo question > /dev/udp/127.0.0.1/53").ok();
        ByteBuffer buffer = ByteBuffer.allocateDirect(64);

        var from = dns.recvFrom(buffer, 0, buffer.capacity());

        assertThat(from.receivedAmount()).isEqualTo("question\n".length());
        closeAll(listeners);
    }

    @Test
    void theHostReachesNoneOfThem() throws Exception {
        List<Listener> listeners = open();
        Socket http = new Socket(listeners.getFirst().descriptor().intValue());
        try (var host = new java.net.Socket()) {
            host.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 80), 500);
        } catch (ConnectException e) {
            // Nothing of ours listens there; something else of this machine may.
        }

        assertThat(http.accept(new byte[128])).isNegative();
        closeAll(listeners);
    }

    @Test
    void thisProcessStaysInItsOwnNamespace() throws Exception {
        long before = NetNamespace.inodeOf(Path.of("/proc/self/ns/net"));

        closeAll(open());

        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!threadsOutside(before).isEmpty()) {
            assertThat(System.nanoTime()).as("threads left behind").isLessThan(deadline);
        }
        assertThat(temporaryLeftovers()).isEmpty();
    }

    @Test
    void anotherNamespaceThanTheVerifiedOneIsRefused() throws Exception {
        long inode = sandbox.identity.netNamespaceInode();

        assertThatThrownBy(() -> porter.open(sandbox.identity.pid(), inode + 1, ALL))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("nothing was opened");
        assertNothingListens();
        assertThat(temporaryLeftovers()).isEmpty();
    }

    @Test
    void theHostsNamespaceIsRefused() throws Exception {
        long self = ProcessHandle.current().pid();
        long inode = ProcessIdentity.of(self).orElseThrow().netNamespaceInode();

        assertThatThrownBy(() -> porter.open(self, inode, ALL))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("host's network namespace");
        assertNothingListens();
    }

    @Test
    void aNamespaceWithAnotherInterfaceIsRefused() throws Exception {
        Process holder =
                Command.of(
                                "unshare",
                                "--user",
                                "--map-root-user",
                                "--net",
                                "sh",
                                "-c",
                                "ip link add bridge7 type bridge && echo made && exec sleep 60")
                        .start();
        try {
            assertThat(holder.inputReader().readLine()).isEqualTo("made");
            long inode = ProcessIdentity.of(holder.pid()).orElseThrow().netNamespaceInode();

            assertThatThrownBy(() -> porter.open(holder.pid(), inode, ALL))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("bridge7");
            assertThat(Files.readAllLines(Path.of("/proc/" + holder.pid() + "/net/tcp")))
                    .hasSize(1);
        } finally {
            holder.destroyForcibly();
        }
    }

    @Test
    void aProcessOfTheSandboxCannotTakeThePorts() throws Exception {
        List<Listener> listeners = open();
        String bind =
                "import socket; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
                        + "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1);"
                        + "s.bind(('127.0.0.1', 53))";

        assertThat(sandbox.run("/usr/bin/python3", "-c", bind).err())
                .containsAnyOf("Permission denied", "Address already in use");
        closeAll(listeners);
    }

    private void assertNothingListens() throws IOException {
        Path tcp = Path.of("/proc/" + sandbox.identity.pid() + "/net/tcp");
        assertThat(Files.readAllLines(tcp)).hasSizeLessThanOrEqualTo(1);
    }

    private static void greet(Socket listening) throws IOException {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        int accepted = listening.accept(new byte[128]);
        while (accepted < 0) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            accepted = listening.accept(new byte[128]);
        }
        var peer = new FileDescriptor(accepted);
        ByteBuffer text = ByteBuffer.allocateDirect(5);
        text.put("hello".getBytes(StandardCharsets.US_ASCII)).flip();
        peer.write(text, 0, 5);
        peer.close();
    }

    private static List<Path> temporaryLeftovers() throws IOException {
        int uid = Person.current().uid();
        try (Stream<Path> entries = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return entries.filter(path -> path.toString().contains("sallyport-porter-"))
                    .filter(path -> ownerOf(path) == uid)
                    .toList();
        }
    }

    /// A Java thread is joined a moment before the kernel has removed it.
    private static List<Path> threadsOutside(long namespace) throws IOException {
        List<Path> outside = new ArrayList<>();
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            for (Path thread : threads.toList()) {
                try {
                    if (NetNamespace.inodeOf(thread.resolve("ns/net")) != namespace) {
                        outside.add(thread);
                    }
                } catch (NoSuchFileException e) {
                    // Ended meanwhile.
                }
            }
        }
        return outside;
    }

    private static int ownerOf(Path path) {
        try {
            return (int) Files.getAttribute(path, "unix:uid");
        } catch (IOException e) {
            return -1;
        }
    }

    private static void closeAll(List<Listener> listeners) throws IOException {
        for (Listener listener : listeners) {
            listener.descriptor().close();
        }
    }
}
