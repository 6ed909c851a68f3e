package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Grants;
import dev.sallyport.http.Door;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The gateway on real sockets: who comes in through which one, and what it gets.
final class GatewayTest {
    private static final String SESSION = "00000000000000aa";
    private static final String OTHER = "00000000000000bb";
    private static final String HELD = "GET /git/held HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private final List<String> opened = new CopyOnWriteArrayList<>();
    private final List<String> aborted = new CopyOnWriteArrayList<>();
    private final GatewayInProcess gateway = new GatewayInProcess(limits(), git());

    static Limits limits() {
        Limits standard = Limits.standard();
        return new Limits(
                standard.http(),
                new Limits.Sharing(4, 64, 8, 64, 1_000, 256, 30),
                standard.git(),
                Limits.standard().push(),
                Limits.standard().mirror(),
                standard.dns(),
                standard.upstream(),
                standard.egress(),
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }

    /// Answers everything but `/git/held`, which it never answers.
    private Door git() {
        return (session, head, responder) -> {
            opened.add(session.id() + " " + head.path());
            if (!head.path().equals("/git/held")) {
                responder.start(204, Map.of(), OptionalLong.empty());
                responder.end();
            }
            return new Aborts(aborted);
        };
    }

    @BeforeEach
    void attach() throws Exception {
        gateway.attach(SESSION);
        gateway.attach(OTHER);
    }

    @AfterEach
    void close() throws Exception {
        gateway.close();
        assertThat(gateway.halts).isEmpty();
    }

    private int port(String session) {
        return gateway.httpPorts.getOrDefault(session, 0);
    }

    @Test
    void answersHealthAndPolicy() throws IOException {
        assertThat(Client.get(port(SESSION), "/healthz"))
                .startsWith("HTTP/1.1 200 OK")
                .endsWith("ok\n");
        assertThat(Client.get(port(SESSION), "/policy"))
                .contains("sandbox: box", SESSION, "github.com/acme/app: write", "agent/**")
                .doesNotContain("s3cret");
        assertThat(Client.get(port(SESSION), "/policy", "Accept: application/json"))
                .contains("content-type: application/json", "\"access\" : \"write\"")
                .doesNotContain("s3cret");
    }

    @Test
    void tellsThatTheSessionEndsSoon() throws IOException {
        assertThat(Client.get(port(SESSION), "/policy")).doesNotContain("notice:");
        gateway.tell(SESSION, "this session ends at noon");
        assertThat(Client.get(port(SESSION), "/policy"))
                .contains("notice: this session ends at noon");
        assertThat(Client.get(port(SESSION), "/policy", "Accept: application/json"))
                .contains("\"notices\" : [ \"this session ends at noon\" ]");
    }

    /// What it had before may be what the new rights take away.
    @Test
    void aSessionWhoseNewRightsCannotBeReadHasNone() throws Exception {
        gateway.changeReach(SESSION, false, GatewayInProcess.tunnel("no host", "127.0.0.1:1", 443));
        assertThat(refusesConnections(port(SESSION))).isTrue();
        assertThat(Client.get(port(OTHER), "/policy")).contains("acme/app: write");
    }

    @Test
    void tellsEveryRuleInWordsAndAsJson() throws IOException {
        gateway.changeRights(
                SESSION,
                Grants.unusual("github.com/acme/app"),
                Grants.standard("github.com/acme/*", "read"));
        assertThat(Client.get(port(SESSION), "/policy"))
                .contains(
                        "the first entry that covers a repository decides",
                        "github.com/acme/app: write",
                        "address: http://gateway.sallyport/git/github.com/acme/app.git",
                        "refs that can be seen: refs/heads/**, refs/tags/v*",
                        "push to branches: agent/**, fix-\"1\",x",
                        "rewrite branches (force): yes",
                        "delete branches: yes",
                        "push tags: yes",
                        "refs that are not judged again: branches, tags, refs/changes/**",
                        "paths that no commit may change: none",
                        "paths that commits may change: none",
                        "author and committer addresses: *@bots.example, me@corp.example",
                        "what looks like a credential: goes through with a warning",
                        "largest pack: 2000 bytes",
                        "largest file: 3000 bytes",
                        "commits in one push: at most 4",
                        "github.com/acme/*: read\n    refs that can be seen: all\n    push: no\n")
                .doesNotContain("*.git");
        assertThat(Client.get(port(SESSION), "/policy", "Accept: application/json"))
                .contains(
                        "\"refsVisible\" : [ \"refs/heads/**\", \"refs/tags/v*\" ]",
                        "\"force\" : true",
                        "\"refsTrusted\" : [ \"refs/changes/**\" ]",
                        "\"pathsDenied\" : [ ]",
                        "\"pathsAllowed\" : [ ]",
                        "\"fileBytesMax\" : 3000",
                        "\"commitsMax\" : 4",
                        "\"secrets\" : \"warn\"",
                        "\"author\" : [ \"*@bots.example\", \"me@corp.example\" ]",
                        "\"packBytesMax\" : 2000")
                .doesNotContain("*.git");
    }

    @Test
    void i6_knowsTheSessionByTheSocketAndByNothingElse() throws IOException {
        Client.get(
                port(SESSION),
                "/git/x",
                "X-Session: " + OTHER,
                "Cookie: session=" + OTHER,
                "Authorization: Bearer " + OTHER,
                "Forwarded: for=" + OTHER,
                "User-Agent: " + OTHER,
                "Accept: " + OTHER,
                "Git-Protocol: " + OTHER);
        Client.get(port(OTHER), "/git/x");
        assertThat(opened).containsExactly(SESSION + " /git/x", OTHER + " /git/x");
    }

    @Test
    void g15_hasNoOtherEndpoint() throws IOException {
        for (String path :
                List.of("/", "/git", "/Git/x", "//git/x", "/policy/", "/%67it/x", "/git%2fx")) {
            assertThat(Client.get(port(SESSION), path)).as(path).startsWith("HTTP/1.1 404 ");
        }
        assertThat(opened).isEmpty();
    }

    @Test
    void e3_refusesAnotherHostAtTheFrontDoor() throws IOException {
        try (Client client = new Client(port(SESSION))) {
            client.send("GET /git/x HTTP/1.1\r\nHost: github.com\r\nConnection: close\r\n\r\n");
            assertThat(client.rest()).startsWith("HTTP/1.1 403 ").contains("name-not-allowed");
        }
        assertThat(opened).isEmpty();
    }

    @Test
    void refusesEverythingOnSyntheticAddressesAndRecordsIt() throws IOException {
        try (Client client = new Client("127.64.1.2", port(SESSION))) {
            client.send(
                    "GET /git/x HTTP/1.1\r\nHost: gateway.sallyport\r\nConnection: close\r\n\r\n");
            assertThat(client.rest())
                    .startsWith("HTTP/1.1 403 ")
                    .contains("this host is not allowed; see http://gateway.sallyport/policy");
        }
        assertThat(opened).isEmpty();
        assertThat(gateway.recorded(SESSION, "http.refused")).isNotEmpty();
    }

    @Test
    void p5_e11_closesWithoutAnswerOnARealSocket() throws IOException {
        try (Client client = new Client(port(SESSION))) {
            client.send("POST /git/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n");
            client.send("Transfer-Encoding: chunked\r\n\r\n");
            assertThat(client.rest()).isEmpty();
        }
        assertThat(opened).isEmpty();
    }

    @Test
    void deliversARefusalEvenWhenTheSandboxKeepsSending() throws IOException {
        try (Client client = new Client(port(SESSION))) {
            client.send("BAD /git/x HTTP/1.0\r\nHost: localhost\r\n\r\n" + "x".repeat(50_000));
            assertThat(client.rest()).startsWith("HTTP/1.1 400 ").contains("id: ");
        }
    }

    @Test
    void p10_letsConnectionsAboveTheCapWaitInTheirOwnBacklog() throws IOException {
        List<Client> held = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            held.add(new Client(port(SESSION)).send(HELD));
        }
        try (Client waiting = new Client(port(SESSION))) {
            waiting.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertThat(Client.get(port(OTHER), "/healthz")).endsWith("ok\n");
            assertThat(opened.size()).isLessThanOrEqualTo(4);
            held.getFirst().close();
            assertThat(waiting.rest()).endsWith("ok\n");
        }
        for (Client client : held) {
            client.close();
        }
    }

    /// A sandbox has many listeners; its connections are counted once.
    @Test
    void p10_theCapHoldsForAllListenersOfASandboxTogether() throws Exception {
        List<Client> held = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            held.add(new Client(port(SESSION)).send(HELD));
        }
        Await.until(() -> opened.size() == 4);
        int proxy = gateway.proxyPorts.getOrDefault(SESSION, 0);
        try (Client waiting = new Client(proxy)) {
            waiting.send("BAD\r\n\r\n");
            assertThat(waiting.isSilentFor(500)).isTrue();
            assertThat(Client.get(port(OTHER), "/healthz")).endsWith("ok\n");
            held.getFirst().close();
            assertThat(waiting.isSilentFor(60_000)).isFalse();
        }
        for (Client client : held) {
            client.close();
        }
    }

    @Test
    void e6_detachEndsListenersAndConnectionsOfThatSessionOnly() throws Exception {
        try (Client mine = new Client(port(SESSION)).send(HELD);
                Client other = new Client(port(OTHER)).send("GET /healthz HTTP/1.1\r\n")) {
            Await.until(() -> !opened.isEmpty());
            gateway.detach(SESSION);
            assertThat(mine.rest()).isEmpty();
            other.send("Host: localhost\r\nConnection: close\r\n\r\n");
            assertThat(other.rest()).endsWith("ok\n");
        }
        Await.until(() -> !aborted.isEmpty());
        assertThat(aborted).hasSize(1);
        assertThat(refusesConnections(port(SESSION))).isTrue();
    }

    @Test
    void theDoorsAreToldOfASessionThatHasEnded() throws Exception {
        List<SessionId> ended = new CopyOnWriteArrayList<>();
        GatewayInProcess told =
                new GatewayInProcess(
                        limits(),
                        (_, _, _, _, _) ->
                                new Gateway.GitDoors.Opened(
                                        git(),
                                        (_, _, _, _) -> CompletableFuture.completedFuture(false),
                                        ended::add));
        told.attach(SESSION);
        told.attach(OTHER);
        told.detach(SESSION);
        assertThat(ended).containsExactly(new SessionId(SESSION));
        told.close();
    }

    /// The listener closes on its own event loop, which may be a moment behind the connection's.
    private static boolean refusesConnections(int port) throws Exception {
        for (int i = 0; i < 500; i++) {
            try (Client late = new Client(port)) {
                assertThat(late.rest()).isEmpty();
            } catch (SocketException e) {
                if (e instanceof ConnectException) {
                    return true;
                }
            }
            Thread.sleep(10);
        }
        return false;
    }

    @Test
    void changedRightsHoldFromTheNextRequestOnOfTheSameConnection() throws IOException {
        String ask = "GET /policy HTTP/1.1\r\nHost: localhost\r\n\r\n";
        try (Client client = new Client(port(SESSION))) {
            assertThat(client.send(ask).until("pushCommandsMax: 64\n")).contains("acme/app: write");
            gateway.changeRights(SESSION, GatewayInProcess.grant("github.com/acme/lib", "read"));
            assertThat(client.send(ask).until("pushCommandsMax: 64\n"))
                    .contains("acme/lib: read")
                    .doesNotContain("acme/app");
        }
    }

    @Test
    void p8_answersDnsOnItsDatagramSocket() throws IOException {
        byte[] query = {
            1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 7, 'g', 'a', 't', 'e', 'w', 'a', 'y', 9, 's', 'a',
            'l', 'l', 'y', 'p', 'o', 'r', 't', 0, 0, 1, 0, 1
        };
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(60_000);
            InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
            socket.send(
                    new DatagramPacket(
                            query,
                            query.length,
                            loopback,
                            gateway.dnsUdpPorts.getOrDefault(SESSION, 0)));
            DatagramPacket reply = new DatagramPacket(new byte[512], 512);
            socket.receive(reply);
            assertThat(reply.getData()[3] & 0xf).isZero();
            assertThat(reply.getData()[reply.getLength() - 4]).isEqualTo((byte) 127);
        }
    }

    /// Notes that it was aborted.
    private static final class Aborts implements dev.sallyport.http.RequestHandler {
        private final IgnoredBody body = new IgnoredBody();
        private final List<String> aborted;

        Aborts(List<String> aborted) {
            this.aborted = aborted;
        }

        @Override
        public void body(io.netty.buffer.ByteBuf piece) {
            body.body(piece);
        }

        @Override
        public void end() {}

        @Override
        public void abort(dev.sallyport.policy.Refusal reason) {
            aborted.add(reason.code());
        }

        @Override
        public void writabilityChanged(boolean writable) {}
    }
}
