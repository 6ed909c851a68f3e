package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.Message;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.Limits;
import dev.sallyport.egress.Hellos;
import dev.sallyport.egress.RawSocket;
import dev.sallyport.egress.TcpUpstream;
import dev.sallyport.fixture.Await;
import dev.sallyport.git.HostileUpstream;
import dev.sallyport.git.TestPki;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The egress doors behind the sockets of sandboxes: which name a connection is for, whose it is,
/// and what becomes of it.
final class EgressGatewayTest {
    private static final String SESSION = "00000000000000aa";
    private static final String OTHER = "00000000000000bb";
    private static final String HOST = "host.example";
    private static final String ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
    private static final String REFUSED_BY_NAME = "15030300020270";

    private final GatewayInProcess gateway =
            new GatewayInProcess(
                    Limits.standard(),
                    (_, head, responder) -> {
                        responder.refuse(Refusal.NO_SUCH_ENDPOINT, "git:" + head.path());
                        return new IgnoredBody();
                    });
    private final TestPki pki = new TestPki();

    @AfterEach
    void close() throws Exception {
        gateway.close();
        assertThat(gateway.halts).isEmpty();
    }

    private void attach(String session, EgressText... reach) throws Exception {
        gateway.attach(session, new Message.Spent(0, 0, 0), reach);
    }

    private static int port(Map<String, Integer> ports, String session) {
        return ports.getOrDefault(session, 0);
    }

    private Optional<String> resolved(String session, String name) throws IOException {
        return DnsProbe.addressOf(name, port(gateway.dnsUdpPorts, session));
    }

    /// Connects to the address that the name resolves to in this sandbox.
    private RawSocket dialled(String session, String name) throws IOException {
        String address = resolved(session, name).orElseThrow();
        return new RawSocket(address, port(gateway.httpsPorts, session));
    }

    private List<String> decisions(String session) {
        return gateway.recorded(session, "egress.connect").stream()
                .map(event -> event.decision() + " " + event.detail().getOrDefault("reason", "-"))
                .toList();
    }

    /// A program that knows nothing of a gateway: it resolves, connects, verifies the certificate.
    @Test
    void p7_reachesAnAllowedHostWithItsOwnCertificate() throws Exception {
        try (HostileUpstream host =
                new HostileUpstream(pki.server(HOST), HostileUpstream.saying(ANSWER))) {
            attach(SESSION, GatewayInProcess.tunnel(HOST, host.dial(), 443));
            TlsProbe program = new TlsProbe(pki.caPem(), "TLSv1.3");
            try (RawSocket client = dialled(SESSION, HOST)) {
                assertThat(program.get(client.socket(), HOST)).endsWith("hello");
            }
            try (RawSocket client = new RawSocket(port(gateway.proxyPorts, SESSION))) {
                client.send("CONNECT host.example:443 HTTP/1.1\r\nHost: host.example:443\r\n\r\n");
                assertThat(client.head()).startsWith("HTTP/1.1 200 ");
                assertThat(program.get(client.socket(), HOST)).endsWith("hello");
            }
            assertThat(host.heads()).hasSize(2);
        }
        assertThat(decisions(SESSION)).containsExactly("allow -", "allow -");
        Await.until(() -> gateway.recorded(SESSION, "egress.end").size() == 2);
        Await.until(
                () ->
                        gateway.toWarden.stream()
                                .anyMatch(
                                        m ->
                                                m instanceof Message.Used used
                                                        && used.bytesDown() > 0));
    }

    @Test
    void e3_leavesTheCertificateToTheClient() throws Exception {
        try (HostileUpstream host =
                new HostileUpstream(pki.server("evil.example"), HostileUpstream.saying(ANSWER))) {
            attach(SESSION, GatewayInProcess.tunnel(HOST, host.dial(), 443));
            try (RawSocket client = dialled(SESSION, HOST)) {
                TlsProbe program = new TlsProbe(pki.caPem(), "TLSv1.3");
                assertThat(program.refusesCertificate(client.socket(), HOST)).isTrue();
            }
            assertThat(host.heads()).isEmpty();
        }
    }

    /// A session that was made with one host is resumed there, and opens no other.
    @Test
    void e17_resumesASessionOnlyWhereItWasMade() throws Exception {
        try (HostileUpstream host =
                        new HostileUpstream(pki.server(HOST), HostileUpstream.saying(ANSWER));
                TcpUpstream second = new TcpUpstream(TcpUpstream.Peer::takeAll)) {
            attach(
                    SESSION,
                    GatewayInProcess.tunnel(HOST, host.dial(), 443),
                    GatewayInProcess.tunnel("second.example", second.dial(), 443));
            TlsProbe program = new TlsProbe(pki.caPem(), "TLSv1.2");
            byte[] session;
            try (RawSocket client = dialled(SESSION, HOST)) {
                session = program.sessionId(client.socket(), HOST);
            }
            try (RawSocket client = dialled(SESSION, HOST)) {
                assertThat(program.sessionId(client.socket(), HOST)).isEqualTo(session);
            }
            try (RawSocket client = dialled(SESSION, "second.example")) {
                assertThatThrownBy(() -> program.sessionId(client.socket(), HOST))
                        .hasMessageContaining("unrecognized_name");
            }
            assertThat(second.connections()).isZero();
        }
        assertThat(decisions(SESSION)).containsExactly("allow -", "allow -", "deny names-disagree");
    }

    @Test
    void e3_refusesAllowedNamesOnEachOthersAddresses() throws Exception {
        try (TcpUpstream host = new TcpUpstream(TcpUpstream.Peer::takeAll)) {
            attach(
                    SESSION,
                    GatewayInProcess.tunnel(HOST, host.dial(), 443),
                    GatewayInProcess.tunnel("*.other.example", host.dial(), 443));
            try (RawSocket client = dialled(SESSION, "a.other.example")) {
                assertThat(client.send(Hellos.of(HOST)).restInHex()).isEqualTo(REFUSED_BY_NAME);
            }
            try (RawSocket client = dialled(SESSION, HOST)) {
                client.send(Hellos.of("a.other.example"));
                assertThat(client.restInHex()).isEqualTo(REFUSED_BY_NAME);
            }
            assertThat(host.connections()).isZero();
        }
        assertThat(decisions(SESSION))
                .containsExactly("deny names-disagree", "deny names-disagree");
    }

    @Test
    void refusesAddressesThatStandForNothing() throws Exception {
        try (TcpUpstream host = new TcpUpstream(TcpUpstream.Peer::takeAll)) {
            attach(SESSION, GatewayInProcess.tunnel(HOST, host.dial(), 443));
            for (String address : List.of("127.0.0.1", "127.64.1.2", "127.255.0.9")) {
                try (RawSocket client = new RawSocket(address, port(gateway.httpsPorts, SESSION))) {
                    assertThat(client.send(Hellos.of(HOST)).restInHex()).isEqualTo(REFUSED_BY_NAME);
                }
            }
            assertThat(host.connections()).isZero();
        }
        assertThat(decisions(SESSION)).hasSize(3).containsOnly("deny name-not-allowed");
        assertThat(gateway.recorded(SESSION, "egress.connect").getFirst().detail())
                .containsEntry("host", "127.0.0.1")
                .containsEntry("door", "transparent");
    }

    /// A git host is there for the git door, and there is no way past it: without an authority to
    /// end TLS with there is no answer, in the clear the git door answers, and nothing is dialled.
    @Test
    void g16_doesNotTunnelToAGitHost() throws Exception {
        attach(SESSION);
        try (RawSocket client = dialled(SESSION, "github.com")) {
            assertThat(client.send(Hellos.of("github.com")).restInHex()).isEmpty();
        }
        String address = resolved(SESSION, "github.com").orElseThrow();
        try (RawSocket client = new RawSocket(address, port(gateway.httpPorts, SESSION))) {
            client.send("GET / HTTP/1.1\r\nHost: github.com\r\nConnection: close\r\n\r\n");
            assertThat(client.restAsText())
                    .startsWith("HTTP/1.1 404 ")
                    .contains("id: git:/git/github.com/\n");
        }
        try (RawSocket client = new RawSocket(address, port(gateway.httpPorts, SESSION))) {
            client.send("GET / HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n");
            assertThat(client.restAsText()).contains("names-disagree").doesNotContain("git:");
        }
    }

    @Test
    void e4_speaksPlainHttpOnlyWithHostsThatMayBeReachedOnPort80() throws Exception {
        attach(SESSION, GatewayInProcess.tunnel(HOST, "127.0.0.1:1", 443));
        String address = resolved(SESSION, HOST).orElseThrow();
        try (RawSocket client = new RawSocket(address, port(gateway.httpPorts, SESSION))) {
            client.send("GET / HTTP/1.1\r\nHost: host.example\r\nConnection: close\r\n\r\n");
            assertThat(client.restAsText()).contains("port-not-allowed");
        }
    }

    /// Two sandboxes, one name, two hosts: each gets its own, whatever it says.
    @Test
    void e12_e18_keepsSandboxesApart() throws Exception {
        try (TcpUpstream mine = new TcpUpstream(peer -> greet(peer, "mine"));
                TcpUpstream theirs = new TcpUpstream(peer -> greet(peer, "them"))) {
            attach(SESSION, GatewayInProcess.tunnel(HOST, mine.dial(), 443));
            attach(OTHER, GatewayInProcess.tunnel(HOST, theirs.dial(), 443));
            for (int i = 0; i < 10; i++) {
                try (RawSocket one = dialled(SESSION, HOST);
                        RawSocket two = dialled(OTHER, HOST)) {
                    one.send(Hellos.of(HOST));
                    two.send(Hellos.of(HOST));
                    assertThat(two.take(11)).asString().endsWith("them");
                    assertThat(one.take(11)).asString().endsWith("mine");
                }
            }
            gateway.changeReach(OTHER, false);
            assertThat(resolved(OTHER, HOST)).isEmpty();
            String address = resolved(SESSION, HOST).orElseThrow();
            try (RawSocket two = new RawSocket(address, port(gateway.httpsPorts, OTHER))) {
                assertThat(two.send(Hellos.of(HOST)).restInHex()).isEqualTo(REFUSED_BY_NAME);
            }
            assertThat(mine.connections()).isEqualTo(10);
            assertThat(theirs.connections()).isEqualTo(10);
        }
    }

    private static void greet(TcpUpstream.Peer peer, String text) throws IOException {
        peer.take(1);
        peer.say(new byte[] {21, 3, 3, 0, 2, 1, 0});
        peer.say(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        peer.takeAll();
    }

    @Test
    void e6_endsTunnelsWithTheirSession() throws Exception {
        try (TcpUpstream host = new TcpUpstream(peer -> greet(peer, "mine"))) {
            attach(SESSION, GatewayInProcess.tunnel(HOST, host.dial(), 443));
            try (RawSocket client = dialled(SESSION, HOST)) {
                assertThat(client.send(Hellos.of(HOST)).take(11)).hasSize(11);
                gateway.detach(SESSION);
                assertThat(client.rest()).isEmpty();
            }
            Await.until(() -> gateway.recorded(SESSION, "egress.end").size() == 1);
        }
    }

    @Test
    void s25_goesOnCountingWhereTheGatewayBeforeItStopped() throws Exception {
        try (TcpUpstream host = new TcpUpstream(peer -> greet(peer, "mine"))) {
            long max = Limits.standard().egress().bytesUpPerSandboxMax();
            EgressText rule = GatewayInProcess.tunnel(HOST, host.dial(), 443);
            gateway.attach(SESSION, new Message.Spent(0, max, 0), rule);
            gateway.attach(OTHER, new Message.Spent(0, max / 2, 0), rule);
            try (RawSocket client = dialled(SESSION, HOST)) {
                assertThat(client.send(Hellos.of(HOST)).restInHex()).isEqualTo("15030300020231");
            }
            gateway.changeReach(SESSION, false, rule);
            try (RawSocket client = dialled(SESSION, HOST)) {
                assertThat(client.send(Hellos.of(HOST)).restInHex()).isEqualTo("15030300020231");
            }
            assertThat(decisions(SESSION)).containsOnly("deny budget-spent");
            assertThat(host.connections()).isZero();
            try (RawSocket client = dialled(OTHER, HOST)) {
                assertThat(client.send(Hellos.of(HOST)).take(11)).hasSize(11);
            }
        }
    }

    /// Nothing is dialled here, because nothing is recorded.
    @Test
    void recordsWhatASessionLearnsAsLearned() throws Exception {
        attach(SESSION);
        gateway.changeReach(SESSION, true);
        gateway.records = false;
        try (RawSocket client = dialled(SESSION, "learned.example")) {
            client.send(Hellos.of("learned.example"));
            assertThat(client.restInHex()).isEqualTo("15030300020250");
        }
        AuditEvent event = gateway.recorded(SESSION, "egress.connect").getFirst();
        assertThat(event.decision()).isEqualTo("learned");
        assertThat(event.detail()).containsEntry("rule", "learning");
    }

    @Test
    void tellsWhereAPersonIsAsked() throws Exception {
        EgressText.InspectionText checked =
                new EgressText.InspectionText(
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        Optional.empty(),
                        List.of(),
                        List.of(),
                        List.of(),
                        false,
                        List.of(),
                        Optional.empty(),
                        true);
        attach(
                SESSION,
                GatewayInProcess.tunnel("plain.example", "127.0.0.1:1", 443),
                asking("tunnel.example", Optional.empty(), true),
                asking("checked.example", Optional.of(checked), false));
        int port = port(gateway.httpPorts, SESSION);
        assertThat(Client.get(port, "/why?host=plain.example"))
                .contains("plain.example is allowed on port 443\n");
        assertThat(Client.get(port, "/why?host=tunnel.example"))
                .contains("allowed on port 443; each connection waits until a person says yes\n");
        assertThat(Client.get(port, "/why?host=checked.example"))
                .contains("443; each request waits until a person says yes; requests are checked");
    }

    private static EgressText asking(
            String host, Optional<EgressText.InspectionText> inspection, boolean ask) {
        return new EgressText(
                host,
                List.of(443),
                false,
                Optional.of("127.0.0.1:1"),
                Optional.empty(),
                inspection,
                false,
                ask,
                "test");
    }

    @Test
    void tellsTheHostsThatMayBeReached() throws Exception {
        EgressText.InspectionText inspection =
                new EgressText.InspectionText(
                        Optional.of(List.of("GET", "HEAD")),
                        Optional.of(List.of("/public/**")),
                        List.of("text/html"),
                        Optional.of(4_096L),
                        List.of(),
                        List.of(),
                        List.of(),
                        true,
                        List.of(),
                        Optional.of(
                                new EgressText.InjectionText(
                                        "the-secrets-name",
                                        "header x-api-key",
                                        Optional.of("put-it-here"))),
                        false);
        attach(
                SESSION,
                GatewayInProcess.tunnel("**.tunnel.example", "127.0.0.1:1", 443, 8443),
                new EgressText(
                        HOST,
                        List.of(443),
                        true,
                        Optional.of("192.0.2.1:443"),
                        Optional.empty(),
                        Optional.of(inspection),
                        "policy.yaml:7"));
        int port = port(gateway.httpPorts, SESSION);
        assertThat(Client.get(port, "/policy"))
                .contains(
                        "  **.tunnel.example: ports 443, 8443\n    requests: any;",
                        "  host.example: ports 443\n    methods: GET, HEAD\n    paths: /public/**\n",
                        "content types that are denied: text/html",
                        "largest body of a request: 4096 bytes",
                        "JSON that is denied: none",
                        "WebSocket: yes",
                        "the gateway adds it (header x-api-key); send put-it-here in its place",
                        "nothing else can be reached",
                        "egressConnectionsPerHostMax: ")
                .doesNotContain("the-secrets-name", "192.0.2.1", "policy.yaml");
        assertThat(Client.get(port, "/policy", "Accept: application/json"))
                .contains(
                        "\"host\" : \"host.example\"",
                        "\"ports\" : [ 443, 8443 ]",
                        "\"methods\" : [ \"GET\", \"HEAD\" ]",
                        "\"placeholder\" : \"put-it-here\"",
                        "\"learning\" : false")
                .doesNotContain("the-secrets-name", "192.0.2.1", "policy.yaml");
    }
}
