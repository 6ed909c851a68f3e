package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.git.TestPki;
import dev.sallyport.policy.Injection;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// E17: a connection leaves HTTP only for a WebSocket that the rule allows and the host agrees to.
final class WebSocketTest {
    /// The example of RFC 6455, section 1.3.
    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

    private static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    private static final String REQUEST =
            String.join(
                    "\r\n",
                    "GET /chat?x=1 HTTP/1.1",
                    "Host: api.example.com",
                    "Upgrade: WebSocket",
                    "Connection: keep-alive, Upgrade",
                    "Sec-WebSocket-Key: " + KEY,
                    "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Protocol: chat",
                    "Sec-WebSocket-Extensions: permessage-deflate",
                    "",
                    "");

    private static final String SWITCHING =
            String.join(
                    "\r\n",
                    "HTTP/1.1 101 Switching Protocols",
                    "Upgrade: websocket",
                    "Connection: Upgrade",
                    "Sec-WebSocket-Accept: " + ACCEPT,
                    "Sec-WebSocket-Protocol: chat",
                    "Set-Cookie: a=b",
                    "",
                    "");

    private static WebRule rule(ScriptedHost host) {
        return new WebRule(host.dial(), Optional.empty());
    }

    /// Agrees, greets, and says everything back.
    private static ScriptedHost.Script echo() {
        return peer -> {
            peer.head();
            peer.say(SWITCHING + "hello from host;");
            for (int c = peer.read(); c >= 0; c = peer.read()) {
                peer.say(String.valueOf((char) c));
            }
        };
    }

    @Test
    void positiveControlBytesGoBothWays() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(echo());
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).websocket().done())) {
            try (WebClient client = new WebClient(rig)) {
                client.send(REQUEST + "sent ahead;");
                String head = client.until("\r\n\r\n");
                assertThat(head.lines())
                        .containsExactlyInAnyOrder(
                                "HTTP/1.1 101 Switching Protocols",
                                "connection: upgrade",
                                "upgrade: websocket",
                                "sec-websocket-accept: " + ACCEPT,
                                "sec-websocket-protocol: chat",
                                "");
                assertThat(client.until("ahead;")).isEqualTo("hello from host;sent ahead;");
                client.send("GET / HTTP/1.1\r\n\r\n\0\u00ff");
                assertThat(client.until("\u00ff")).isEqualTo("GET / HTTP/1.1\r\n\r\n\0\u00ff");
            }
            Await.until(() -> !host.peers.isEmpty() && host.peers.getFirst().over);
            Await.until(() -> !rig.recorded("egress.end").isEmpty());
            assertThat(host.heads().getFirst())
                    .startsWith("GET /chat?x=1 HTTP/1.1\r\n")
                    .contains("connection: upgrade\r\n")
                    .contains("upgrade: websocket\r\n")
                    .contains("sec-websocket-key: " + KEY);
            assertThat(rig.recorded("egress.request")).containsExactly("allow -");
            assertThat(rig.reads.all("id")).as("it opens something").isEmpty();
        }
    }

    @Test
    void passesTheEndOn() throws Exception {
        try (ScriptedHost host =
                        ScriptedHost.plain(
                                peer -> {
                                    peer.head();
                                    peer.say(SWITCHING + "bye");
                                });
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).websocket().done());
                WebClient client = new WebClient(rig)) {
            client.send(REQUEST);
            assertThat(client.all()).endsWith("\r\n\r\nbye");
        }
    }

    static List<Object[]> handshakes() {
        return List.of(
                new Object[] {"GET /chat", "POST /chat"},
                new Object[] {"Version: 13", "Version: 8"},
                new Object[] {"Version: 13", "Version: 14"},
                new Object[] {KEY, "c2hvcnQ="},
                new Object[] {KEY, "not-base-64"},
                new Object[] {"keep-alive, Upgrade", "keep-alive"},
                new Object[] {"WebSocket\r\nConn", "websocket, h2c\r\nConn"},
                new Object[] {
                    "Sec-WebSocket-Version", "Content-Length: 2\r\nSec-WebSocket-Version"
                });
    }

    /// E17.
    @ParameterizedTest
    @MethodSource("handshakes")
    void e17RefusesOtherHandshakes(String part, String other) throws Exception {
        assertThat(REQUEST).contains(part);
        try (ScriptedHost host = ScriptedHost.plain(echo());
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).websocket().done());
                WebClient client = new WebClient(rig)) {
            client.send(REQUEST.replace(part, other));
            assertThat(client.answer()).contains("sallyport-reason: upgrade-not-allowed");
            assertThat(host.peers).isEmpty();
        }
    }

    @Test
    void e17RefusesAWebSocketThatTheRuleDoesNotAllow() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(echo())) {
            for (WebRule rule :
                    List.of(rule(host), rule(host).websocket().jsonDenied("type=url"))) {
                try (WebRig rig = new WebRig(WebRig.Terms.plain(), rule.done());
                        WebClient client = new WebClient(rig)) {
                    client.send(REQUEST);
                    assertThat(client.answer()).contains("sallyport-reason: upgrade-not-allowed");
                }
            }
            assertThat(host.peers).isEmpty();
        }
    }

    /// P2: nothing but the handshake that was asked for.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Accept: " + ACCEPT,
                "Upgrade: websocket\r\n",
                "Connection: Upgrade\r\n",
                "Protocol: chat"
            })
    void p2RefusesAHostThatDoesNotAgree(String part) throws Exception {
        assertThat(SWITCHING).contains(part);
        String wrong = part.startsWith("Protocol") ? part + "\r\nSec-WebSocket-Protocol: x" : "";
        String answer =
                SWITCHING.replace(part, part.startsWith("Accept") ? "Accept: " + KEY : wrong);
        try (ScriptedHost host =
                        ScriptedHost.plain(
                                peer -> {
                                    peer.head();
                                    peer.say(answer + "secret bytes");
                                    peer.drain();
                                });
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).websocket().done());
                WebClient client = new WebClient(rig)) {
            client.send(REQUEST);
            assertThat(client.answer())
                    .contains("sallyport-reason: upstream-misbehaved")
                    .doesNotContain("secret bytes");
            Await.until(() -> !host.peers.isEmpty() && host.peers.getFirst().over);
        }
    }

    @Test
    void relaysTheAnswerOfAHostThatDeclines() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("no")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).websocket().done());
                WebClient client = new WebClient(rig)) {
            client.send(REQUEST);
            assertThat(client.answer()).startsWith("HTTP/1.1 200").endsWith("no");
        }
    }

    @Test
    void endsWithTheBudget() throws Exception {
        Limits s = Limits.standard();
        Limits little =
                new Limits(
                        s.http(),
                        s.sharing(),
                        s.git(),
                        s.push(),
                        s.mirror(),
                        s.dns(),
                        s.upstream(),
                        new Limits.Egress(
                                2_000, 2_000, 2_000, 2_000, 9, 9, 9, 16_384, 10, 600, 86_400),
                        Limits.Api.STANDARD,
                        Limits.Approvals.STANDARD);
        try (ScriptedHost host =
                        ScriptedHost.plain(
                                peer -> {
                                    peer.head();
                                    peer.say(SWITCHING);
                                    peer.drain();
                                });
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.plain().with(little), rule(host).websocket().done());
                WebClient client = new WebClient(rig)) {
            client.send(REQUEST);
            assertThat(client.until("\r\n\r\n")).contains("101");
            client.send("x".repeat(5_000));
            assertThat(client.all()).isEmpty();
            Await.until(() -> !host.peers.isEmpty() && host.peers.getFirst().over);
            assertThat(rig.recorded("egress.cut")).containsExactly("deny budget-spent");
            assertThat(host.received()).doesNotContain("x".repeat(2_001));
        }
    }

    /// E6.
    @Test
    void e6EndsWhenTheRightsChange() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(echo());
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).websocket().done());
                WebClient client = new WebClient(rig)) {
            client.send(REQUEST);
            assertThat(client.until("host;")).contains("101");
            rig.session = rig.session(false, WebRig.HOST, rule(host).done());
            assertThat(client.all()).isEmpty();
            assertThat(rig.recorded("egress.cut")).containsExactly("deny upgrade-not-allowed");
        }
    }

    /// E6: the whole request is judged again, and not only its host.
    @Test
    void e6EndsWhenItsPathIsNotAllowedAnyMore() throws Exception {
        assertEndsUnder(rule -> rule.paths("/other/**"), "deny url-not-allowed");
    }

    /// Nobody can be asked about what a WebSocket carries.
    @Test
    void e6EndsWhenAPersonHasToBeAskedByNow() throws Exception {
        assertEndsUnder(WebRule::ask, "deny upgrade-not-allowed");
    }

    /// What becomes of a rule.
    private interface Change {
        WebRule of(WebRule rule) throws Exception;
    }

    private static void assertEndsUnder(Change change, String recorded) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(echo());
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).websocket().done());
                WebClient client = new WebClient(rig)) {
            client.send(REQUEST);
            assertThat(client.until("host;")).contains("101");
            rig.session = rig.session(false, WebRig.HOST, change.of(rule(host).websocket()).done());
            assertThat(client.all()).isEmpty();
            assertThat(rig.recorded("egress.cut")).containsExactly(recorded);
        }
    }

    /// A frame as a server sends it.
    private static String frame(int first, String content) {
        String length =
                content.length() < 126
                        ? String.valueOf((char) content.length())
                        : "~" + (char) (content.length() >> 8) + (char) (content.length() & 0xff);
        return (char) first + length + content;
    }

    private static String message(String content) {
        return frame(0x81, content);
    }

    /// What a sandbox hears of a host that says this after the handshake with the secret, and then
    /// waits.
    private static String heard(String said, String expectedCut) throws Exception {
        TestPki pki = new TestPki();
        try (ScriptedHost host =
                        ScriptedHost.tls(
                                pki.server("api.example.com"),
                                peer -> {
                                    peer.head();
                                    peer.say(SWITCHING + message("hello"));
                                    for (String c : said.split("", -1)) {
                                        peer.say(c);
                                    }
                                    peer.drain();
                                });
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.encrypted(),
                                new WebRule(host.dial(), Optional.of(pki.caPem()))
                                        .websocket()
                                        .inject(new Injection.Place.Bearer())
                                        .done());
                WebClient client = new WebClient(rig)) {
            client.send(REQUEST);
            assertThat(client.until("hello")).contains("101");
            String heard = expectedCut.isEmpty() ? client.until(said) : client.all();
            assertThat(host.heads().getFirst())
                    .contains("authorization: Bearer " + WebRig.SECRET)
                    .doesNotContain("permessage-deflate");
            assertThat(rig.recorded("egress.cut"))
                    .isEqualTo(expectedCut.isEmpty() ? List.of() : List.of(expectedCut));
            return heard;
        }
    }

    private static String inFrames(int bytes, String between) {
        StringBuilder frames = new StringBuilder();
        for (int at = 0; at < WebRig.SECRET.length(); at += bytes) {
            int end = Math.min(at + bytes, WebRig.SECRET.length());
            boolean last = end == WebRig.SECRET.length();
            int first = (at == 0 ? 1 : 0) | (last ? 0x80 : 0);
            frames.append(frame(first, WebRig.SECRET.substring(at, end))).append(between);
        }
        return frames.toString();
    }

    static List<String> echoes() {
        String ping = frame(0x89, "still there?");
        return List.of(
                message(WebRig.SECRET),
                message("{\"key\": \"" + WebRig.SECRET.replace("/", "\\/") + "\"}"),
                inFrames(1, ""),
                inFrames(5, ping),
                inFrames(20, ping + frame(0x8a, "")),
                frame(0x89, WebRig.SECRET),
                frame(0x01, "a")
                        + frame(0x89, WebRig.SECRET.substring(0, 20))
                        + frame(0x00, "b")
                        + frame(0x89, WebRig.SECRET.substring(20)));
    }

    /// E14: the secret goes along with the handshake and does not come back, whole or in frames.
    @ParameterizedTest
    @MethodSource("echoes")
    void e14CutsAWebSocketThatRepeatsTheSecret(String said) throws Exception {
        assertThat(heard(said, "deny upstream-misbehaved"))
                .doesNotContain(WebRig.SECRET.substring(0, 8))
                .doesNotContain(WebRig.SECRET.substring(20, 25))
                .doesNotContain("r" + frame(0x80, ""));
    }

    /// E14: over several messages a few characters get out, because nobody may wait for the end of
    /// a message for ever; the secret does not.
    @Test
    void e14CutsAWebSocketThatRepeatsTheSecretInMessages() throws Exception {
        StringBuilder said = new StringBuilder();
        for (int at = 0; at < WebRig.SECRET.length(); at += 5) {
            int end = Math.min(at + 5, WebRig.SECRET.length());
            said.append(message(WebRig.SECRET.substring(at, end)));
        }
        assertThat(message(WebRig.SECRET.substring(0, 5)))
                .startsWith(heard(said.toString(), "deny upstream-misbehaved"));
    }

    @Test
    void doesNotHoldTheEndOfAMessageBack() throws Exception {
        String said = message("ends as the secret begins: " + WebRig.SECRET.substring(0, 7));
        assertThat(heard(said, "")).isEqualTo(said);
        String large = message("x".repeat(70_00)) + frame(0x88, "\u0003\u00e8");
        assertThat(heard(large, "")).isEqualTo(large);
    }

    /// E14: what could be compressed or masked could be anything.
    @ParameterizedTest
    @ValueSource(ints = {0xc1, 0xa1, 0x91, 0x83, 0x8b, 0x09})
    void e14CutsAWebSocketWithFramesThatCannotBeRead(int first) throws Exception {
        assertThat(heard(frame(first, "contents"), "deny upstream-misbehaved"))
                .doesNotContain("contents");
        assertThat(heard((char) 0x81 + "\u0082....ab", "deny upstream-misbehaved"))
                .doesNotContain("ab");
    }
}
