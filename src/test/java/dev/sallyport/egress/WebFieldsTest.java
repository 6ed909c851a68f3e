package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// P5: of the fields that a sandbox sends, those with one meaning that are not about the connection
/// and no credential go out.
final class WebFieldsTest {
    private static WebRule rule(ScriptedHost host) {
        return new WebRule(host.dial(), Optional.empty());
    }

    private static void assertRefused(String answer, String code) {
        assertThat(answer).contains("sallyport-reason: " + code).doesNotContain("HTTP/1.1 200");
        assertThat(WebClient.isWhole(answer)).isTrue();
    }

    /// E10: a field must not undo what was judged.
    @ParameterizedTest
    @CsvSource({
        "X-HTTP-Method-Override, method-not-allowed",
        "X-HTTP-Method, method-not-allowed",
        "X-Original-URL, url-not-allowed",
        "X-Rewrite-URL, url-not-allowed",
    })
    void e10RefusesFieldsThatOverrideTheRequest(String field, String code) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.plain(),
                                rule(host).methods("GET").paths("/public/**").done())) {
            String request = WebClient.get("/public/x", field + ": DELETE\r\n");
            assertRefused(WebClient.ask(rig, request), code);
            assertThat(host.peers).isEmpty();
        }
    }

    /// E15: a credential that the sandbox brings along goes nowhere.
    @Test
    void e15DropsTheSandboxsOwnCredentials() throws Exception {
        String fields =
                String.join(
                        "\r\n",
                        "Authorization: Bearer attacker-1",
                        "Proxy-Authorization: Basic attacker-2",
                        "Cookie: a=attacker-3",
                        "X-Api-Key: attacker-4",
                        "api-key: attacker-5",
                        "x-goog-api-key: attacker-6",
                        "X-Auth-Token: attacker-7",
                        "PRIVATE-TOKEN: attacker-8",
                        "X-Amz-Security-Token: attacker-9",
                        "X-CSRF-Token: attacker-10",
                        "Accept: text/plain",
                        "");
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            assertThat(WebClient.ask(rig, WebClient.get("/", fields))).endsWith("hello");
            assertThat(host.received()).contains("accept: text/plain").doesNotContain("attacker");
        }
    }

    /// E13: what is about the connection stays on it. That trailers are welcome is asked for anew.
    @Test
    void e13ForwardsNothingThatIsAboutTheConnection() throws Exception {
        String fields =
                String.join(
                        "\r\n",
                        "Keep-Alive: timeout=5",
                        "Proxy-Connection: keep-alive",
                        "TE: trailers",
                        "Trailer: x",
                        "Upgrade: h2c",
                        "HTTP2-Settings: AAMA",
                        "Expect: 100-continue",
                        "X-Forwarded-For: 192.0.2.1",
                        "X-Forwarded-Host: evil.example",
                        "Forwarded: for=192.0.2.1",
                        "Via: 1.1 x",
                        "Sallyport-Id: 1",
                        "Connection: Upgrade, HTTP2-Settings, TE, keep-alive",
                        "");
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            assertThat(WebClient.ask(rig, WebClient.get("/", fields))).endsWith("hello");
            assertThat(host.heads().getFirst().lines().map(line -> line.split(":", 2)[0]))
                    .containsExactlyInAnyOrder("GET / HTTP/1.1", "host", "connection", "te", "");
            assertThat(host.heads().getFirst())
                    .contains("te: trailers\r\n", "connection: keep-alive, te\r\n");
        }
    }

    /// E11, E13: refused before anything is dialled.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "X_Custom: 1\r\n",
                "Content-Type: a/b\r\nContent-Type: a/c\r\n",
                "User-Agent: a\r\nUser-Agent: b\r\n",
                "X-Custom: 1\r\nConnection: x-custom\r\n",
                "Connection: content-type\r\n",
                "X-Custom: caf\u00e9\r\n"
            })
    void e13RefusesFieldsThatTwoReadersReadDifferently(String fields) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            assertRefused(WebClient.ask(rig, WebClient.get("/", fields)), "bad-request");
            assertThat(host.peers).isEmpty();
        }
    }

    /// E17.
    @ParameterizedTest
    @ValueSource(strings = {"websocket", "h2c, websocket", "TLS/1.0", "h2"})
    void e17RefusesToLeaveHttp(String protocol) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            String request =
                    WebClient.get("/", "Upgrade: " + protocol + "\r\nConnection: upgrade\r\n");
            String answer = WebClient.ask(rig, request);
            assertRefused(answer, "upgrade-not-allowed");
            assertThat(answer).startsWith("HTTP/1.1 426 ");
            assertThat(host.peers).isEmpty();
        }
    }

    private static final String CHUNKED =
            "POST / HTTP/1.1\r\nHost: api.example.com\r\nTransfer-Encoding: chunked\r\nX-Once: 1\r\nConnection: close\r\n\r\n4\r\nwiki\r\n";

    /// A host that reads one request, whatever comes after its body, and answers.
    private static ScriptedHost.Script readingTrailers() {
        return peer -> {
            peer.head();
            while (!peer.received().contains("0\r\n") || !peer.received().endsWith("\r\n\r\n")) {
                if (peer.read() < 0) {
                    return;
                }
            }
            peer.say(ok("hello"));
            peer.drain();
        };
    }

    /// E11, E13, E15: fields after a body go on, but for those that a head would lose or was judged
    /// by.
    @Test
    void e11PassesTrailersOnAsStrictlyAsFields() throws Exception {
        String trailers =
                "X-Sum: abc\r\nX-Api-Key: attacker\r\nX-Forwarded-For: attacker\r\nX-Once: attacker\r\nX-HTTP-Method-Override: attacker\r\n";
        try (ScriptedHost host = ScriptedHost.plain(readingTrailers());
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            assertThat(WebClient.ask(rig, CHUNKED + "0\r\n" + trailers + "\r\n"))
                    .startsWith("HTTP/1.1 200")
                    .endsWith("hello");
            assertThat(host.received())
                    .endsWith("4\r\nwiki\r\n0\r\nx-sum: abc\r\n\r\n")
                    .doesNotContain("attacker");
        }
    }

    /// E11: the head has gone upstream, so all that is left is to cut, and to say why.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0\r\nContent-Length: 4\r\n\r\n",
                "0\r\nTransfer-Encoding: chunked\r\n\r\n",
                "0\r\nHost: other.example\r\n\r\n",
                "0\r\nAuthorization: x\r\n\r\n",
                "0\r\nX-Sum : x\r\n\r\n",
                "0\r\nX-Sum: a\r\n b\r\n\r\n",
                "0\r\nX-Sum: a\nHost: b\r\n\r\n",
                "0\r\nX-A: 1\r\nX-A: 2\r\n\r\n",
                "0\r\nGET / HTTP/1.1\r\n\r\n",
                "4;x=y\r\nwiki\r\n0\r\n\r\n",
                "4\nwiki\r\n0\r\n\r\n",
                "0x4\r\nwiki\r\n0\r\n\r\n",
                "3\r\nwiki\r\n0\r\n\r\n"
            })
    void e11RecordsABodyThatTurnsOutMalformedAsWhatItIs(String rest) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(readingTrailers());
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            client.send(CHUNKED);
            Await.until(() -> host.received().endsWith("wiki\r\n"));
            client.send(rest);
            assertThat(client.all()).isEmpty();
            Await.until(() -> host.peers.getFirst().over);
            Await.until(() -> !rig.recorded("egress.failed").isEmpty());
            assertThat(host.received())
                    .as("upstream never sees the end of the request")
                    .doesNotContain("0\r\n\r\n")
                    .doesNotContain("0\r\nx")
                    .doesNotContainIgnoringCase("other.example");
            assertThat(rig.recorded("egress.failed")).containsExactly(" malformed-body");
            assertThat(rig.recorded("http.ambiguous")).isEmpty();
            assertThat(rig.events).extracting(event -> event.detail().get("id")).hasSize(2);
            assertThat(rig.events.stream().map(event -> event.detail().get("id")).distinct())
                    .hasSize(1);
        }
    }

    /// E11: nothing of it is upstream yet, and no other line would tell of it.
    @Test
    void e11RecordsAMalformedBodyThatIsJudgedFirst() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(readingTrailers());
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.plain(), rule(host).jsonDenied("type=url").done())) {
            String head =
                    WebClient.post("/", "Content-Type: application/json\r\n", "")
                            .replaceFirst("(?i)content-length: 0", "Transfer-Encoding: chunked");
            assertThat(WebClient.ask(rig, head + "2\r\n{}\r\n0x0\r\n\r\n")).isEmpty();
            Await.until(() -> !rig.events.isEmpty());
            assertThat(rig.recorded("egress.request")).containsExactly("deny malformed-body");
            assertThat(rig.events).hasSize(1);
            assertThat(host.peers).isEmpty();
        }
    }

    /// E13, CVE-2021-40346: a name whose length does not fit in one byte, in either direction.
    @Test
    void e13PassesNoNameOnThatIsTooLong() throws Exception {
        String name = "Content-Length0" + "a".repeat(250);
        String long255 = "HTTP/1.1 200 OK\r\n" + name + ": x\r\nContent-Length: 0\r\n\r\n";
        try (ScriptedHost host = ScriptedHost.plain(answering(long255));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            assertThat(WebClient.ask(rig, WebClient.get("/", name + ":\r\n")))
                    .startsWith("HTTP/1.1 431")
                    .contains("sallyport-reason: head-too-large");
            assertThat(host.peers).isEmpty();
            assertThat(WebClient.ask(rig, WebClient.get("/")))
                    .contains("sallyport-reason: upstream-misbehaved")
                    .doesNotContainIgnoringCase(name);
        }
    }
}
