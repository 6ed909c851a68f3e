package dev.sallyport;

import static dev.sallyport.PortsRig.FOUR;
import static dev.sallyport.PortsRig.SIX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.DevServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Processes;
import dev.sallyport.page.Page;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Servers in a sandbox, used from the host through published ports, and what does not follow from
/// that.
class PortsIT {
    /// Without arguments: echoes lines when the other side has sent all. `mute`: never reads.
    private static final String RAW =
            """
            const net = require('net');
            net.createServer({allowHalfOpen: true, pauseOnConnect: process.argv[3] === 'mute'}, socket => {
                socket.on('error', () => {});
                if (process.argv[3] === 'mute') return;
                let all = '';
                socket.on('data', bytes => all += bytes).on('end', () => socket.end('heard ' + all));
            }).listen(Number(process.argv[2]), '127.0.0.1',
                () => require('fs').writeFileSync('listening-' + process.argv[2], ''));
            """;

    /// Few, so that a test can have them all.
    private static final int CONNECTIONS_MAX = 24;

    private static Path root;
    private static Installation sallyport;
    private static PortsRig rig;
    private static int page;
    private static int six;

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-ports");
        sallyport = Installation.bare(root.resolve("i"));
        sallyport.policy(
                "limits: {sharing: {connections-per-sandbox-max: " + CONNECTIONS_MAX + "}}\n");
        rig = new PortsRig(sallyport, "bubblewrap");
        page = DevServer.freePort();
        six = DevServer.freePort();
        rig.create("dev", "--publish", page + ":3000", "--publish", six + ":3001");
        serve();
    }

    private static void serve() throws IOException {
        Path workspace = sallyport.workspace();
        rig.exec("dev", DevServer.node(workspace, 3000, "127.0.0.1")).ok();
        rig.exec("dev", DevServer.node(workspace, 3001, "::1")).ok();
        DevServer.awaitListening(workspace, 3000);
        DevServer.awaitListening(workspace, 3001);
    }

    private static void serveRaw(int port, String how) throws IOException {
        serveRaw("dev", port, how);
    }

    private static void serveRaw(String name, int port, String how) throws IOException {
        Files.writeString(sallyport.workspace().resolve("raw.js"), RAW);
        rig.exec(name, DevServer.lasting("node raw.js " + port + " " + how)).ok();
        DevServer.awaitListening(sallyport.workspace(), port);
    }

    @AfterAll
    static void stopEverything() {
        sallyport.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @Test
    void aDevelopmentServerReloadsThePageOnBothLoopbackAddressesOfTheHost() throws Exception {
        assertThat(rig.reloaded(FOUR, page, "two")).contains("version two");
        assertThat(rig.reloaded(SIX, page, "three")).contains("version three");
    }

    @Test
    void aServerOnTheSandboxesOtherLoopbackAddressIsReached() throws Exception {
        assertThat(rig.reloaded(FOUR, six, "four")).contains("version four");
        assertThat(PortsRig.get(SIX, six)).contains("version four");
    }

    /// And is in the record: who published what, and that it was used.
    @Test
    void aHalfClosedConnectionGetsItsWholeAnswer() throws Exception {
        serveRaw(3010, "echo");
        int port = DevServer.freePort();
        rig.ports("dev", port + ":3010").ok();
        String sent = "x".repeat(1 << 20);
        try (Socket socket = PortsRig.connect(port)) {
            socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            String heard =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(heard).isEqualTo("heard " + sent);
        }
        assertThat(rig.audit())
                .containsPattern("session.publish .*host-port=" + port + " inside-port=3010")
                .containsPattern("port.used .*host-port=" + port + " inside-port=3010");
    }

    @Test
    void aPortThatIsRemovedIsClosedWithItsConnections() throws Exception {
        int port = DevServer.freePort();
        assertThat(rig.ports("dev", port + ":3000").ok()).contains(port + " -> 3000");
        PortsRig.awaitPage(FOUR, port, "version");
        try (Socket socket = PortsRig.connect(port)) {
            assertThat(rig.ports("dev", "--remove", "" + port).ok())
                    .doesNotContain(port + " -> 3000")
                    .contains(page + " -> 3000");
            assertThat(socket.getInputStream().read()).isNegative();
        }
        assertThat(PortsRig.listens(FOUR, port)).isFalse();
        assertThat(PortsRig.get(FOUR, page)).contains("version");
        assertThat(rig.audit()).containsPattern("session.unpublish .*host-port=" + port);
    }

    @Test
    void aPortInUseIsAnErrorAndNothingIsMade() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.ofLiteral(FOUR))) {
            String taken = other.getLocalPort() + ":3000";
            Command.Result result = rig.tryToCreate("late", "--publish", taken);
            assertThat(result.exit()).isNotZero();
            assertThat(result.err()).contains("is in use").contains("Publish it on another port");
            assertThat(sallyport.sallyport("list").run().ok()).doesNotContain("late");
            assertThat(rig.ports("dev", taken).err()).contains("is in use");
            assertThat(rig.ports("dev").ok()).doesNotContain("" + other.getLocalPort());
        }
    }

    /// The gateway and the warden are killed, the sandbox is stopped and started.
    @Test
    void publishedPortsOutliveTheDaemonsAndComeBackWithTheSandbox() throws Exception {
        sallyport.killGateway();
        PortsRig.awaitPage(FOUR, page, "version");
        String status = sallyport.sallyport("status", "--json").run().ok();
        Processes.kill(new ObjectMapper().readTree(status).get("wardenPid").asLong());
        Await.until("nobody listens without a warden", () -> !PortsRig.listens(FOUR, page));
        sallyport.sallyport("list").run().ok();
        PortsRig.awaitPage(FOUR, page, "version");
        PortsRig.awaitPage(SIX, page, "version");
        long told = linesWithBytes(page);
        sallyport.sallyport("stop", "dev").run().ok();
        Await.until("nobody listens for a stopped one", () -> !PortsRig.listens(FOUR, page));
        Await.until("what passed last is recorded", () -> linesWithBytes(page) > told);
        assertThat(rig.ports("dev").ok()).contains(page + " -> 3000");
        Files.deleteIfExists(sallyport.workspace().resolve("listening-3000"));
        Files.deleteIfExists(sallyport.workspace().resolve("listening-3001"));
        sallyport.sallyport("start", "dev").run().ok();
        serve();
        PortsRig.awaitPage(FOUR, page, "version");
    }

    private static long linesWithBytes(int port) {
        return rig.audit()
                .lines()
                .filter(line -> line.contains("port.used") && !line.contains("bytes-out=0 "))
                .filter(line -> line.contains("host-port=" + port + " "))
                .count();
    }

    /// Whoever can connect to the host would have the sandbox's rights at the gateway.
    @Test
    void I16_noPublishedPortLeadsToTheGateway() throws Exception {
        int port = DevServer.freePort();
        for (int ours : new int[] {80, 443, 3128, 53}) {
            assertThat(rig.ports("dev", port + ":" + ours).err()).contains("the gateway's own");
        }
        assertThat(PortsRig.listens(FOUR, port)).isFalse();
        rig.ports("dev", port + ":3000").ok();
        PortsRig.awaitPage(FOUR, port, "version");
        rig.ports("dev", "--remove", "" + port).ok();
    }

    @Test
    void I16_aSandboxPublishesNothingByItself() throws Exception {
        serveRaw(3020, "echo");
        int port = DevServer.freePort();
        String attempts =
                rig.sh(
                                "dev",
                                """
                                body='{"publish":["%d:3020"],"remove":[]}'
                                for url in http://gateway.sallyport/v1/sandboxes/dev/ports http://127.0.0.1/ports http://127.0.0.1:3128/v1/sandboxes/dev/ports; do
                                    curl -sS -o /dev/null -w '%%{http_code}\\n' --noproxy '*' -d "$body" $url
                                done
                                ls %s/run 2>&1 | head -1
                                """
                                        .formatted(port, sallyport.home()))
                        .out();
        assertThat(attempts.lines().limit(3)).hasSize(3).doesNotContain("200");
        assertThat(attempts).contains("No such file");
        assertThat(PortsRig.listens(FOUR, port)).isFalse();
        assertThat(PortsRig.listens(FOUR, 3020)).isFalse();
        assertThat(rig.ports("dev").ok()).doesNotContain("3020");
        rig.ports("dev", port + ":3020").ok();
        assertThat(PortsRig.listens(FOUR, port)).isTrue();
    }

    /// Neither the host's own servers, nor what another sandbox has published, nor its own ports by
    /// way of the host.
    @Test
    void I16_aSandboxReachesNoPortOfTheHostAndNoneOfAnotherSandbox() throws Exception {
        rig.create("other");
        try (ServerSocket host = new ServerSocket(0, 8, InetAddress.ofLiteral("0.0.0.0"))) {
            String address = Command.of("hostname", "-I").run().out().strip().split(" ", 2)[0];
            String probe =
                    """
                    for to in 127.0.0.1/%d 127.0.0.1/%d %s/%d %s/%d; do
                        timeout 60 bash -c "exec 3<>/dev/tcp/$to" 2>/dev/null && echo REACHED $to
                    done
                    exec 3<>/dev/tcp/127.0.0.1/80 && echo control
                    """
                            .formatted(
                                    page,
                                    host.getLocalPort(),
                                    address.isEmpty() ? "192.0.2.1" : address,
                                    host.getLocalPort(),
                                    address.isEmpty() ? "192.0.2.1" : address,
                                    page);
            for (String name : List.of("other", "dev")) {
                assertThat(rig.sh(name, probe).out()).isEqualTo("control\n");
            }
            host.setSoTimeout(60_000);
            assertThat(PortsRig.listens(FOUR, host.getLocalPort())).isTrue();
            host.accept().close();
            assertThat(PortsRig.get(FOUR, page)).contains("version");
        } finally {
            sallyport.sallyport("destroy", "other").run().ok();
        }
    }

    /// A server that does not read costs what the sockets' buffers hold, and nobody else anything.
    @Test
    void aServerThatNeverReadsHoldsUpItsOwnConnectionOnly() throws Exception {
        serveRaw(3030, "mute");
        int port = DevServer.freePort();
        rig.ports("dev", port + ":3030").ok();
        try (SocketChannel client =
                SocketChannel.open(new InetSocketAddress(InetAddress.ofLiteral(FOUR), port))) {
            client.configureBlocking(false);
            ByteBuffer piece = ByteBuffer.allocate(1 << 16);
            long sent = 0;
            for (int idle = 0; idle < 20; ) {
                piece.clear();
                int written = client.write(piece);
                sent += written;
                if (written == 0) {
                    idle++;
                    Thread.sleep(50);
                } else {
                    idle = 0;
                }
                assertThat(sent).isLessThan(64L << 20);
            }
            assertThat(sent).isPositive();
            assertThat(PortsRig.get(FOUR, page)).contains("version");
        }
    }

    /// In one of its own: connections of other tests count as well.
    @Test
    void aSandboxHasSoManyConnectionsAndTheNextOneWaits() throws Exception {
        int port = DevServer.freePort();
        rig.create("crowd", "--publish", port + ":3040");
        serveRaw("crowd", 3040, "echo");
        Path sockets = sockets("crowd");
        List<Socket> held = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS_MAX; i++) {
                held.add(PortsRig.connect(port));
            }
            Await.until("all are inside", () -> inside(sockets, 3040) == CONNECTIONS_MAX);
            try (Socket late = PortsRig.connect(port)) {
                late.getOutputStream().write('a');
                late.shutdownOutput();
                late.setSoTimeout(1_000);
                assertThatThrownBy(() -> late.getInputStream().read())
                        .isInstanceOf(SocketTimeoutException.class);
                assertThat(inside(sockets, 3040)).isEqualTo(CONNECTIONS_MAX);
                held.removeLast().close();
                late.setSoTimeout(60_000);
                assertThat(new String(late.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("heard a");
            }
        } finally {
            for (Socket socket : held) {
                socket.close();
            }
            sallyport.sallyport("destroy", "crowd").run().ok();
        }
    }

    private static Path sockets(String name) throws IOException {
        String view = sallyport.sallyport("show", name, "--json").run().ok();
        String pid = new ObjectMapper().readTree(view).at("/identity/pid").asText();
        return Path.of("/proc", pid, "net/tcp");
    }

    /// Connections to a server, as the kernel inside counts them.
    private static long inside(Path sockets, int port) throws IOException {
        String hex = ":%04X".formatted(port);
        return Files.readAllLines(sockets).stream()
                .map(line -> line.strip().split(" +"))
                .filter(words -> words.length > 3 && words[1].endsWith(hex))
                .filter(words -> words[3].equals("01"))
                .count();
    }

    @Test
    void i16NoPublishedPortHasThePagesAddress() throws Exception {
        int port = DevServer.freePort();
        assertThat(rig.ports("dev", Page.ADDRESS + ":" + port + ":3000").all())
                .contains("kept for the page");
        assertThat(PortsRig.listens(Page.ADDRESS, port)).isFalse();
        for (String everywhere : List.of("0.0.0.0:", "[::]:")) {
            rig.ports("dev", everywhere + port + ":3000").ok();
            PortsRig.awaitPage(FOUR, port, "version");
            try (Socket kept = new Socket(InetAddress.ofLiteral(Page.ADDRESS), port)) {
                kept.setSoTimeout(60_000);
                assertThat(kept.getInputStream().read()).as(everywhere).isEqualTo(-1);
            }
            rig.ports("dev", "--remove", "" + port).ok();
        }
    }

    @Test
    void anotherInterfaceNeedsItsAddressAndIsWarnedOf() throws Exception {
        int port = DevServer.freePort();
        Command.Result result = rig.ports("dev", "0.0.0.0:" + port + ":3000");
        assertThat(result.ok()).contains("0.0.0.0:" + port);
        assertThat(result.err()).contains("not limited to this machine");
        PortsRig.awaitPage(FOUR, port, "version");
        assertThat(Command.of("ss", "-ltnH", "sport = :" + page).run().ok())
                .contains("127.0.0.1:" + page)
                .contains("[::1]:" + page)
                .doesNotContain("0.0.0.0:" + page);
        rig.ports("dev", "--remove", "" + port).ok();
    }
}
