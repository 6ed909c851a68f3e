package dev.sallyport.egress;

import static dev.sallyport.egress.EgressRig.HOST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.http.RequestHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The proxy: what it takes for a target, and that it gives nothing that the addresses of names do
/// not give.
final class ProxyDoorTest {
    private static final byte[] HELLO = Hellos.of(HOST.value());
    private static final String CONNECT =
            "CONNECT host.example:443 HTTP/1.1\r\nHost: host.example:443\r\n\r\n";
    private static final String ESTABLISHED = "HTTP/1.1 200 Connection established\r\n\r\n";
    private static final String UNRECOGNIZED_NAME = "15030300020270";
    private static final String DECODE_ERROR = "15030300020232";

    private TcpUpstream upstream;
    private EgressRig rig;

    @BeforeEach
    void open() throws IOException {
        upstream = new TcpUpstream(Answers::echo);
        rig =
                new EgressRig(
                        Limits.standard(),
                        EgressRig.rule(HOST.value(), upstream.dial(), 80, 443, 8443),
                        EgressRig.rule("*.wild.example", upstream.dial(), 80));
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
        upstream.close();
    }

    private String answered(String request) throws IOException {
        try (RawSocket client = rig.proxy()) {
            client.send(request);
            client.socket().shutdownOutput();
            return client.restAsText();
        }
    }

    private void assertTunnelled(RawSocket client) throws IOException {
        assertThat(client.take(Answers.SERVER_HELLO.length)).isEqualTo(Answers.SERVER_HELLO);
        assertThat(client.send("ping").take(4)).asString().isEqualTo("ping");
        assertThat(upstream.received(upstream.connections() - 1)).startsWith(HELLO);
    }

    private void assertNothingHappened() {
        assertThat(upstream.connections()).isZero();
        assertThat(rig.web.opened).isEmpty();
        assertThat(rig.inspected).isEmpty();
    }

    @Test
    void opensATunnel() throws IOException {
        try (RawSocket client = rig.proxy()) {
            assertThat(client.send(CONNECT).head()).isEqualTo(ESTABLISHED);
            assertTunnelled(client.send(HELLO));
        }
        assertThat(rig.recorded("egress.connect")).containsExactly("allow -");
        assertThat(rig.details("egress.connect", "door")).containsExactly("proxy");
    }

    @Test
    void takesAHelloThatComesWithTheConnect() throws IOException {
        try (RawSocket client = rig.proxy()) {
            byte[] head = CONNECT.getBytes(StandardCharsets.US_ASCII);
            client.send(Hellos.joined(head, HELLO));
            assertThat(client.head()).isEqualTo(ESTABLISHED);
            assertTunnelled(client);
        }
    }

    @Test
    void takesTheFormsThatClientsWrite() throws IOException {
        for (String[] form :
                new String[][] {
                    {"HOST.example:443", "Host.Example:443"},
                    {"host.example:443", "host.example"},
                    {"host.example:8443", "host.example:8443"}
                }) {
            String request =
                    "CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Connection: keep-alive\r\n\r\n"
                            .formatted(form[0], form[1]);
            try (RawSocket client = rig.proxy()) {
                assertThat(client.send(request).head()).as(request).isEqualTo(ESTABLISHED);
                assertTunnelled(client.send(HELLO));
            }
        }
    }

    /// As Python before 3.12 writes it.
    @Test
    void takesAConnectOfHttp10WithoutHostAndNothingElseOfIt() throws IOException {
        try (RawSocket client = rig.proxy()) {
            assertThat(client.send("CONNECT host.example:443 HTTP/1.0\r\n\r\n").head())
                    .isEqualTo(ESTABLISHED);
            assertTunnelled(client.send(HELLO));
        }
        int before = upstream.connections();
        for (String request :
                new String[] {
                    "CONNECT host.example:443 HTTP/1.1\r\n\r\n",
                    "CONNECT host.example:443 HTTP/1.0\r\nHost: evil.example:443\r\n\r\n",
                    "CONNECT evil.example:443 HTTP/1.0\r\n\r\n",
                    "CONNECT host.example HTTP/1.0\r\n\r\n",
                    "CONNECT host.example:443 HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc",
                    "GET http://host.example/ HTTP/1.0\r\nHost: host.example\r\n\r\n",
                    "GET http://host.example/ HTTP/1.0\r\n\r\n"
                }) {
            assertThat(answered(request)).as(request).matches("(?s)HTTP/1.1 40[03] .*");
        }
        assertThat(upstream.connections()).isEqualTo(before);
        assertThat(rig.web.opened).isEmpty();
    }

    @Test
    void e3_refusesAHelloThatNamesAnotherHostThanTheConnect() throws IOException {
        for (boolean ahead : new boolean[] {false, true}) {
            try (RawSocket client = rig.proxy()) {
                byte[] head = CONNECT.getBytes(StandardCharsets.US_ASCII);
                byte[] hello = Hellos.of("evil.example");
                client.send(ahead ? Hellos.joined(head, hello) : head);
                assertThat(client.head()).isEqualTo(ESTABLISHED);
                if (!ahead) {
                    client.send(hello);
                }
                assertThat(client.restInHex()).isEqualTo(UNRECOGNIZED_NAME);
            }
        }
        assertThat(rig.recorded("egress.connect"))
                .containsExactly("deny names-disagree", "deny names-disagree");
        assertNothingHappened();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"evil.example:443", "host.example:8443", "www.host.example:443", "[::1]"})
    void e3_refusesAHostFieldThatNamesAnotherTarget(String host) throws IOException {
        assertThat(answered("CONNECT host.example:443 HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                .startsWith("HTTP/1.1 403 ")
                .contains("names-disagree");
        assertThat(answered("GET http://host.example/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                .startsWith("HTTP/1.1 403 ")
                .contains("names-disagree");
        assertNothingHappened();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: host.example\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n",
                "CONNECT host.example:443 HTTP/1.1\r\nHost: host.example:443\r\n\r\n"
            })
    void e4_wantsTlsOnEveryPort(String text) throws IOException {
        for (int port : new int[] {80, 443, 8443}) {
            String target = "host.example:" + port;
            try (RawSocket client = rig.proxy()) {
                client.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
                assertThat(client.head()).isEqualTo(ESTABLISHED);
                assertThat(client.send(text).restInHex()).isEqualTo(DECODE_ERROR);
            }
        }
        assertThat(rig.details("egress.connect", "flaw"))
                .containsExactly("not-tls", "not-tls", "not-tls");
        assertNothingHappened();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "host.example:444",
                "host.example:22",
                "host.example:53",
                "host.example:853",
                "host.example:65535"
            })
    void e4_refusesPortsThatNoRuleNames(String target) throws IOException {
        assertThat(answered("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n"))
                .startsWith("HTTP/1.1 403 ")
                .contains("port-not-allowed");
        assertThat(answered("GET http://" + target + "/ HTTP/1.1\r\nHost: " + target + "\r\n\r\n"))
                .startsWith("HTTP/1.1 403 ")
                .contains("port-not-allowed");
        assertNothingHappened();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example:443",
                "xhost.example:443",
                "host.example.evil.example:443",
                "example:443",
                "host.example.:443",
                "xn--hst-sna.example:443",
                "host%2eexample:443",
                "host.example%00.evil.example:443",
                "user@host.example:443",
                "user:word@host.example:443",
                "host.example",
                "host.example:",
                "host.example:0",
                "host.example:0443",
                "host.example:65979",
                "host.example:443/",
                "http://host.example:443",
                "127.0.0.1:443",
                "127.1:443",
                "0177.0.0.1:443",
                "0x7f000001:443",
                "2130706433:443",
                "[::1]:443",
                "[::ffff:192.0.2.1]:443",
                "[64:ff9b::192.0.2.1]:443",
                "[2002:c000:0201::]:443",
                "[fe80::1%25eth0]:443",
                "\thost.example:443",
                "localhost:443",
                "gateway.sallyport:80"
            })
    void e2_e7_e8_refusesEveryTargetThatIsNoAllowedName(String target) throws IOException {
        assertThat(answered("CONNECT " + target + " HTTP/1.1\r\nHost: host.example\r\n\r\n"))
                .as(target)
                .matches("(?s)HTTP/1.1 (400|403) .*");
        assertThat(answered("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n"))
                .as(target)
                .matches("(?s)HTTP/1.1 (400|403) .*");
        assertNothingHappened();
        assertThat(rig.events.toString()).doesNotContain("word@");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "host.example\u0000:443",
                "host.example:443\u0000",
                "host.example\u0000.evil.example:443",
                "host.example\n:443",
                "host.example\r:443",
                "\u001b[2Jhost.example:443",
                "host.example\u007f:443",
                "host.example :443",
                "host.example:443 "
            })
    void e2_e19_givesNoAnswerToControlBytes(String target) throws IOException {
        assertThat(answered("CONNECT " + target + " HTTP/1.1\r\nHost: host.example\r\n\r\n"))
                .isEmpty();
        assertNothingHappened();
        assertThat(rig.events.toString()).doesNotContainPattern("\\p{Cntrl}");
    }

    @Test
    void e11_refusesAConnectWithABody() throws IOException {
        for (String framing :
                new String[] {
                    "Content-Length: 5", "Content-Length: 0", "Transfer-Encoding: chunked"
                }) {
            assertThat(
                            answered(
                                    CONNECT.replace(
                                            "\r\n\r\n", "\r\n" + framing + "\r\n\r\n0\r\n\r\n")))
                    .as(framing)
                    .startsWith("HTTP/1.1 400 ");
        }
        assertNothingHappened();
    }

    @Test
    void refusesTargetsInOriginForm() throws IOException {
        assertThat(answered("GET / HTTP/1.1\r\nHost: host.example\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ");
        assertThat(answered("GET https://host.example/ HTTP/1.1\r\nHost: host.example\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ");
        assertNothingHappened();
    }

    @Test
    void p1_keepsWhatIsMeantForTheProxyToItself() throws IOException {
        String field = "Proxy-Authorization: Basic cHJveHk6d29yZA==\r\n";
        try (RawSocket client = rig.proxy()) {
            client.send(CONNECT.replace("\r\n\r\n", "\r\n" + field + "\r\n"));
            assertThat(client.head()).isEqualTo(ESTABLISHED);
            assertTunnelled(client.send(HELLO));
        }
        assertThat(
                        answered(
                                "GET http://host.example/ HTTP/1.1\r\nHost: host.example\r\n"
                                        + field
                                        + "\r\n"))
                .startsWith("HTTP/1.1 200 ");
        assertThat(rig.web.heads.getFirst().fields()).containsOnlyKeys("host");
        assertThat(rig.events.toString()).doesNotContain("cHJveHk6d29yZA");
        assertThat(new String(upstream.received(0), StandardCharsets.ISO_8859_1))
                .doesNotContain("cHJveHk6d29yZA");
    }

    private static String get(String host, String path) {
        return "GET http://" + host + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    }

    @Test
    void givesRequestsInAbsoluteFormToOneDoorPerHost() throws Exception {
        try (RawSocket client = rig.proxy()) {
            for (String host :
                    new String[] {
                        "host.example", "a.wild.example", "HOST.example", "host.example:80"
                    }) {
                assertThat(client.send(get(host, "/p?q")).head()).startsWith("HTTP/1.1 200 ");
            }
            assertThat(client.send(get("host.example:8443", "/")).head())
                    .contains("door: host.example:8443");
            assertThat(rig.web.opened)
                    .containsExactly("host.example:80", "a.wild.example:80", "host.example:8443");
            assertThat(rig.web.closed).isEmpty();
        }
        Await.until("the doors close", () -> rig.web.closed.size() == 3);
        assertThat(rig.web.heads).extracting(RequestHead::path).startsWith("/p", "/p", "/p");
        assertThat(upstream.connections()).isZero();
    }

    @Test
    void asksThePolicyForEveryRequest() throws Exception {
        try (RawSocket client = rig.proxy()) {
            assertThat(client.send(get("host.example", "/")).head()).startsWith("HTTP/1.1 200 ");
            rig.changeRules(EgressRig.inspectedRule(HOST.value(), upstream.dial()));
            assertThat(client.send(get("host.example", "/")).head()).startsWith("HTTP/1.1 200 ");
            assertThat(rig.web.opened).hasSize(2);
            assertThat(rig.web.closed).as("the old rule's door").hasSize(1);
            rig.changeRules();
            assertThat(client.send(get("host.example", "/")).head()).startsWith("HTTP/1.1 403 ");
            assertThat(rig.web.opened).hasSize(2);
        }
    }

    @Test
    void keepsFewDoorsOpenHoweverManyHostsAreAskedFor() throws Exception {
        try (RawSocket client = rig.proxy()) {
            for (int i = 0; i < 30; i++) {
                client.send(get("h" + i + ".wild.example", "/"));
                assertThat(client.head()).startsWith("HTTP/1.1 200 ");
            }
            assertThat(rig.web.opened).hasSize(30);
            assertThat(rig.web.closed).hasSize(22).startsWith("h0.wild.example:80");
        }
        Await.until("the doors close", () -> rig.web.closed.size() == 30);
    }

    @Test
    void closesTheDoorsOfRequestsBeforeItBecomesATunnel() throws Exception {
        try (RawSocket client = rig.proxy()) {
            assertThat(client.send(get("host.example", "/")).head()).startsWith("HTTP/1.1 200 ");
            assertThat(client.send(CONNECT).head()).isEqualTo(ESTABLISHED);
            assertThat(rig.web.closed).hasSize(1);
            assertTunnelled(client.send(HELLO));
        }
    }

    @Test
    void e19_doesNotRecordWhatAUrlCarries() throws IOException {
        assertThat(answered(get("user:word@host.example", "/"))).startsWith("HTTP/1.1 40");
        assertThat(answered(get("evil.example", "/?token=word"))).startsWith("HTTP/1.1 403 ");
        assertThat(rig.events.toString()).doesNotContain("word");
        assertThat(rig.details("egress.connect", "host")).contains("evil.example");
        assertNothingHappened();
    }
}
