package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.git.TestPki;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Injection.Place;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// P1, P2: an injected secret goes to its host and to nobody else, the sandbox included.
final class InjectionTest {
    private static final TestPki PKI = new TestPki();
    private static final Place HEADER = new Place.Header("x-api-key");
    private static final String SECRET = WebRig.SECRET;
    private static final String BASIC = base64("user:" + SECRET);
    private static final String ESCAPED = URLEncoder.encode(SECRET, StandardCharsets.UTF_8);

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static ScriptedHost host(ScriptedHost.Script script) throws Exception {
        return ScriptedHost.tls(PKI.server("api.example.com"), script);
    }

    private static WebRule rule(ScriptedHost host) {
        return new WebRule(host.dial(), Optional.of(PKI.caPem()));
    }

    private static WebRig rig(EgressRule rule) {
        return new WebRig(WebRig.Terms.encrypted(), rule);
    }

    /// Every answer and every record of these tests.
    private static String ask(WebRig rig, String request) throws Exception {
        String answer = WebClient.ask(rig, request);
        String told = answer + rig.events;
        assertThat(told)
                .doesNotContain(SECRET)
                .doesNotContain(BASIC)
                .doesNotContain(ESCAPED)
                .doesNotContain(SECRET.substring(8));
        return answer;
    }

    private static void assertRefused(String answer, String code) {
        assertThat(answer).contains("sallyport-reason: " + code).doesNotContain("HTTP/1.1 200");
    }

    /// E14: behind the body, too.
    @Test
    void e14CutsAnAnswerWithTheSecretInItsTrailers() throws Exception {
        String answer =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Debug: "
                        + SECRET
                        + "\r\n\r\n";
        try (ScriptedHost host = host(answering(answer));
                WebRig rig = rig(rule(host).inject(HEADER).done())) {
            String told = ask(rig, WebClient.get("/", "TE: trailers\r\n"));
            assertThat(told).startsWith("HTTP/1.1 200").doesNotContain("x-debug");
            assertThat(WebClient.isWhole(told)).isFalse();
        }
    }

    static List<Object[]> places() {
        return List.of(
                new Object[] {HEADER, "\r\nx-api-key: " + SECRET + "\r\n"},
                new Object[] {new Place.Bearer(), "\r\nauthorization: Bearer " + SECRET + "\r\n"},
                new Object[] {
                    new Place.Basic("user"), "\r\nauthorization: Basic " + BASIC + "\r\n"
                },
                new Object[] {
                    new Place.Query("key"), "GET /v1?a=b;c=d&key=" + ESCAPED + " HTTP/1.1\r\n"
                });
    }

    /// E15, and the positive control: the host gets the secret once, and nothing of the sandbox's.
    @ParameterizedTest
    @MethodSource("places")
    void e15WritesTheSecretInPlaceOfWhatTheSandboxSends(Place place, String expected)
            throws Exception {
        String fields =
                "Authorization: Bearer attacker\r\nX-Api-Key: attacker\r\nCookie: attacker\r\n";
        boolean query = place instanceof Place.Query;
        String target =
                query ? "/v1?KEY=attacker&a=b;key=attacker;c=d&k%65y=attacker" : "/v1?a=b;c=d";
        try (ScriptedHost host = host(answering(ok("hello")));
                WebRig rig = rig(rule(host).inject(place).done())) {
            assertThat(ask(rig, WebClient.get(target, fields))).endsWith("hello");
            assertThat(host.heads()).hasSize(1);
            String head = host.heads().getFirst();
            assertThat(head).contains(expected).contains("accept-encoding: identity\r\n");
            assertThat(head).doesNotContain("attacker");
        }
    }

    /// I2.
    @Test
    void i2NeverWritesTheSecretOfAnotherHost() throws Exception {
        try (ScriptedHost host = host(answering(ok("hello")));
                WebRig rig = rig(rule(host).inject(HEADER).done())) {
            EgressRule rule = rule(host).inject(HEADER).done();
            rig.session = rig.session(false, new HostName("other.example.com"), rule);
            assertRefused(ask(rig, WebClient.get("/")), "internal");
            assertThat(host.peers).isEmpty();
            assertThat(rig.recorded("egress.request")).containsExactly("deny internal");

            rig.session = rig.session(false, WebRig.HOST, rule);
            assertThat(ask(rig, WebClient.get("/"))).endsWith("hello");
        }
    }

    @Test
    void asksNothingWithoutTheSecret() throws Exception {
        try (ScriptedHost host = host(answering(ok("hello")));
                WebRig rig = rig(rule(host).inject(HEADER).done())) {
            rig.session.credentials().wipe();
            assertRefused(ask(rig, WebClient.get("/")), "internal");
            assertThat(host.peers).isEmpty();
        }
    }

    /// P2: whoever listens on the way must not see it.
    @Test
    void p2SendsNoSecretInTheClear() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.plain(),
                                new WebRule(host.dial(), Optional.empty()).inject(HEADER).done())) {
            assertRefused(ask(rig, WebClient.get("/")), "url-not-allowed");
            assertThat(host.peers).isEmpty();
        }
    }

    @Test
    void aRuleWithASecretIsNeverWidenedByLearning() throws Exception {
        try (ScriptedHost host = host(answering(ok("hello")));
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.encrypted().learning(),
                                rule(host).methods("GET").inject(HEADER).done())) {
            assertRefused(ask(rig, WebClient.post("/", "", "x")), "method-not-allowed");
            assertThat(host.peers).isEmpty();
        }
    }

    @Test
    void thePlaceholderAndNothingElseMustBeInThePlace() throws Exception {
        String right = "X-Api-Key: placeholder-1\r\n";
        try (ScriptedHost host = host(answering(ok("hello")));
                WebRig rig = rig(rule(host).inject(HEADER, "placeholder-1").done())) {
            for (String fields :
                    List.of(
                            "",
                            "X-Api-Key: attacker\r\n",
                            "X-Api-Key: placeholder-12\r\n",
                            right + "Authorization: Bearer attacker\r\n",
                            right + "Cookie: a=b\r\n",
                            "Authorization: Bearer placeholder-1\r\n")) {
                assertRefused(ask(rig, WebClient.get("/", fields)), "credential-not-allowed");
            }
            assertThat(host.peers).isEmpty();
            assertThat(ask(rig, WebClient.get("/", right))).endsWith("hello");
            assertThat(host.received()).contains(SECRET).doesNotContain("placeholder");
        }
    }

    @ParameterizedTest
    @MethodSource("placeholders")
    void thePlaceholderIsFoundInEveryPlace(Place place, String right, String wrong)
            throws Exception {
        try (ScriptedHost host = host(answering(ok("hello")));
                WebRig rig = rig(rule(host).inject(place, "ph").done())) {
            assertThat(ask(rig, right)).endsWith("hello");
            assertRefused(ask(rig, wrong), "credential-not-allowed");
            assertThat(host.heads()).hasSize(1);
        }
    }

    private static String authorization(String value) {
        return WebClient.get("/", "Authorization: " + value + "\r\n");
    }

    static List<Object[]> placeholders() {
        return List.of(
                new Object[] {
                    new Place.Bearer(), authorization("bearer ph"), authorization("bearer px")
                },
                new Object[] {
                    new Place.Basic("user"),
                    authorization("Basic " + base64("any:ph")),
                    authorization("Basic " + base64("ph:any"))
                },
                new Object[] {
                    new Place.Query("key"),
                    WebClient.get("/?key=ph"),
                    WebClient.get("/?key=ph&KEY=x")
                });
    }

    static List<String> echoes() {
        byte[] bytes = SECRET.getBytes(StandardCharsets.UTF_8);
        return List.of(
                SECRET,
                BASIC,
                base64("x" + SECRET + "y"),
                ESCAPED,
                ESCAPED.toLowerCase(java.util.Locale.ROOT).equals(ESCAPED)
                        ? ESCAPED
                        : ESCAPED.replace("%2F", "%2f").replace("%2B", "%2b"),
                SECRET.replace("/", "\\/"),
                HexFormat.of().formatHex(bytes),
                HexFormat.of().withUpperCase().formatHex(bytes));
    }

    /// E14: in the head nothing of the answer is relayed.
    @ParameterizedTest
    @MethodSource("echoes")
    void e14RelaysNoAnswerWhoseHeadRepeatsTheSecret(String echo) throws Exception {
        for (String field : List.of("X-Echo", "Location", "Set-Cookie", "Connection")) {
            String answer =
                    "HTTP/1.1 200 OK\r\n"
                            + field
                            + ": a="
                            + echo
                            + "\r\nContent-Length: 2\r\n\r\nhi";
            try (ScriptedHost host = host(answering(answer));
                    WebRig rig = rig(rule(host).inject(HEADER).done())) {
                assertRefused(ask(rig, WebClient.get("/")), "upstream-misbehaved");
                assertThat(host.heads()).hasSize(1);
            }
        }
    }

    /// E14: in the body it is cut before the first character of the secret.
    @ParameterizedTest
    @MethodSource("echoes")
    void e14CutsAnAnswerThatRepeatsTheSecret(String echo) throws Exception {
        int half = echo.length() / 2;
        try (ScriptedHost host =
                        host(
                                peer -> {
                                    peer.head();
                                    peer.say(
                                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                                    peer.say("3\r\n~~~\r\n");
                                    peer.say(chunk(echo.substring(0, half)));
                                    peer.say(chunk(echo.substring(half)));
                                    peer.say("0\r\n\r\n");
                                    peer.drain();
                                });
                WebRig rig = rig(rule(host).inject(HEADER).done())) {
            String answer = ask(rig, WebClient.get("/"));
            assertThat(answer).contains("~~~").doesNotContain(echo.substring(0, half));
            assertThat(WebClient.isWhole(answer)).isFalse();
        }
    }

    private static String chunk(String text) {
        return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
    }

    @Test
    void positiveControlAnAnswerThatOnlyBeginsLikeTheSecretIsWhole() throws Exception {
        String body = "so far: " + SECRET.substring(0, 20);
        try (ScriptedHost host = host(answering(ok(body)));
                WebRig rig = rig(rule(host).inject(HEADER).done())) {
            String answer = WebClient.ask(rig, WebClient.get("/"));
            assertThat(answer).endsWith(body);
            assertThat(WebClient.isWhole(answer)).isTrue();
        }
    }

    /// E14: what nobody could read for it is not relayed, and parts are not asked for.
    @Test
    void e14TakesNoAnswerInWhichAnEchoCouldHide() throws Exception {
        String packed = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi";
        try (ScriptedHost host = host(answering(packed));
                WebRig rig = rig(rule(host).inject(HEADER).done())) {
            String fields = "Accept-Encoding: gzip\r\nRange: bytes=0-9\r\nIf-Range: x\r\n";
            String streams = "Connect-Accept-Encoding: gzip\r\n";
            assertRefused(ask(rig, WebClient.get("/", fields + streams)), "upstream-misbehaved");
            assertThat(host.heads().getFirst())
                    .contains("\naccept-encoding: identity\r\n")
                    .contains("\nconnect-accept-encoding: identity\r\n")
                    .doesNotContain("range");
        }
    }

    /// G19, P2: a redirect is the client's to follow, and the secret does not go along.
    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void g19FollowsNoRedirect(int status) throws Exception {
        try (ScriptedHost elsewhere = ScriptedHost.plain(answering(ok("stolen")))) {
            String location = "http://" + elsewhere.dial() + "/";
            String moved =
                    "HTTP/1.1 "
                            + status
                            + " Moved\r\nLocation: "
                            + location
                            + "\r\nContent-Length: 0\r\n\r\n";
            try (ScriptedHost host = host(answering(moved));
                    WebRig rig = rig(rule(host).inject(HEADER).done())) {
                assertThat(ask(rig, WebClient.get("/")))
                        .startsWith("HTTP/1.1 " + status)
                        .contains("location: " + location);
                assertThat(elsewhere.peers).isEmpty();
            }
        }
    }
}
