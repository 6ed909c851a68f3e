package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static dev.sallyport.egress.ScriptedHost.saying;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.UpstreamLimits;
import dev.sallyport.git.TestPki;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// P2, P5: whatever a host answers, what the sandbox gets is one well-framed answer to its own
/// request, or none; and what is not whole is not presented as whole.
final class WebAnswerTest {
    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";

    private static WebRule rule(ScriptedHost host) {
        return new WebRule(host.dial(), Optional.empty());
    }

    private static String ask(ScriptedHost.Script script, String request) throws Exception {
        return ask(script, request, UpstreamLimits.PATIENT);
    }

    private static String ask(ScriptedHost.Script script, String request, Limits limits)
            throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(script);
                WebRig rig = new WebRig(WebRig.Terms.plain().with(limits), rule(host).done())) {
            return WebClient.ask(rig, request);
        }
    }

    private static String answerTo(String answer) throws Exception {
        return ask(saying(answer), WebClient.get("/"));
    }

    private static void assertRefused(String answer, String code) {
        assertThat(answer).contains("sallyport-reason: " + code).doesNotContain("HTTP/1.1 200");
        assertThat(WebClient.isWhole(answer)).isTrue();
    }

    /// E11, E12: a head that two readers read in two ways is not relayed.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 2\r\nContent-Length: 2\r\n\r\nxx",
                "Content-Length: 2\r\nContent-Length: 3\r\n\r\nxx",
                "Content-Length: 2, 2\r\n\r\nxx",
                "Content-Length: +2\r\n\r\nxx",
                "Content-Length: -2\r\n\r\nxx",
                "Content-Length: 0x2\r\n\r\nxx",
                "Content-Length: \r\n\r\nxx",
                "Content-Length: 99999999999999999999\r\n\r\nxx",
                "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxx\r\n0\r\n\r\n",
                "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nxx\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxx\r\n0\r\n\r\n",
                "Transfer-Encoding: identity\r\n\r\nxx",
                "Transfer-Encoding : chunked\r\n\r\n2\r\nxx\r\n0\r\n\r\n",
                "X: a\r\n b\r\nContent-Length: 2\r\n\r\nxx",
                "X: a\nContent-Length: 2\r\n\r\nxx",
                "X: a\rContent-Length: 2\r\n\r\nxx",
                "X: a\0b\r\nContent-Length: 2\r\n\r\nxx",
                "X\r\nContent-Length: 2\r\n\r\nxx",
                ": x\r\nContent-Length: 2\r\n\r\nxx",
            })
    void e11RefusesAnswersWithAnAmbiguousHead(String rest) throws Exception {
        assertRefused(answerTo(OK + rest), "upstream-misbehaved");
        assertRefused(answerTo(OK.replace("200", "404") + rest), "upstream-misbehaved");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/2.0 200 OK",
                "HTTP/1.2 200 OK",
                "http/1.1 200 OK",
                "HTTP/1.1  200 OK",
                "HTTP/1.1 0200 OK",
                "HTTP/1.1 099 OK",
                "HTTP/1.1 600 OK",
                "HTTP/1.1 101 Switching Protocols",
                "\r\nHTTP/1.1 200 OK",
                "ICY 200 OK"
            })
    void e11RefusesAnswersWithAnotherFirstLine(String line) throws Exception {
        assertRefused(answerTo(line + "\r\nContent-Length: 2\r\n\r\nxx"), "upstream-misbehaved");
    }

    @Test
    void refusesAHeadThatIsTooLongOrNeverEnds() throws Exception {
        assertRefused(answerTo(OK + "X: " + "a".repeat(9_000)), "upstream-misbehaved");
        assertRefused(answerTo(OK + "X: a\r\n".repeat(3_000)), "upstream-misbehaved");
        assertRefused(answerTo(OK + "X: a\r\n"), "upstream-misbehaved");
        assertRefused(answerTo(""), "upstream-unreachable");
    }

    /// E11: what follows a good head is cut when its framing breaks.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2;x=y\r\nxx\r\n0\r\n\r\n",
                "2 \r\nxx\r\n0\r\n\r\n",
                "2\nxx\r\n0\r\n\r\n",
                "2\r\nxxx\r\n0\r\n\r\n",
                "-2\r\nxx\r\n0\r\n\r\n",
                "0x2\r\nxx\r\n0\r\n\r\n",
                "\r\nxx\r\n0\r\n\r\n",
                "100000002\r\nxx\r\n0\r\n\r\n",
                "2\r\nxx\r\n0\r\nX: a\nb\r\n\r\n",
                "2\r\nxx\r\n0\r\n",
                "2\r\nxx\r\n"
            })
    void e11CutsAnAnswerWhoseChunksAreBroken(String body) throws Exception {
        assertThat(WebClient.isWhole(answerTo(CHUNKED + body))).isFalse();
    }

    private static final String TRAILED = CHUNKED + "2\r\nxx\r\n00A\r\n0123456789\r\n0\r\n";

    @Test
    void positiveControlChunksAreRelayedWithoutATrailerThatNobodyAskedFor() throws Exception {
        String answer = answerTo(TRAILED + "X-T: 1\r\n\r\n");
        assertThat(WebClient.isWhole(answer)).isTrue();
        assertThat(answer).contains("\r\nxx\r\n").contains("0123456789").doesNotContain("x-t");
    }

    /// What belongs into a head, or is not for the sandbox, does not come in by the back door.
    @Test
    void trailersAreRelayedToWhoAsksForThem() throws Exception {
        String trailers =
                "X-T: 1\r\nSet-Cookie: a\r\nLocation: /\r\nSallyport-Id: 1\r\nX-U: 2\r\n\r\n";
        String request = WebClient.get("/", "TE: gzip, trailers\r\n");
        assertThat(ask(saying(TRAILED + trailers), request))
                .endsWith("\r\n0\r\nx-t: 1\r\nx-u: 2\r\n\r\n");
    }

    /// E11: whoever joins them with the head would see another answer.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 2",
                "Transfer-Encoding: chunked",
                "Connection: close",
                "Host: other.example",
                "X T: 1",
                " X: 1",
                "X",
                ": 1"
            })
    void e11CutsAnAnswerWhoseTrailersFrameIt(String trailer) throws Exception {
        assertThat(WebClient.isWhole(answerTo(TRAILED + trailer + "\r\n\r\n"))).isFalse();
    }

    @Test
    void aSizedAnswerThatIsCutIsCut() throws Exception {
        String answer = answerTo(OK + "Content-Length: 9\r\n\r\nxx");
        assertThat(answer).startsWith("HTTP/1.1 200");
        assertThat(WebClient.isWhole(answer)).isFalse();
    }

    @Test
    void aBodyThatEndsWithTheConnectionIsWholeOnlyWhenTheHostSaysSo() throws Exception {
        TestPki pki = new TestPki();
        ScriptedHost.Script clean = saying(OK + "\r\nall of it");
        ScriptedHost.Script cut =
                peer -> {
                    peer.head();
                    peer.say(OK + "\r\npart of it");
                    peer.cut();
                };
        assertThat(WebClient.isWhole(overTls(pki, clean))).isTrue();
        String part = overTls(pki, cut);
        assertThat(part).contains("part of it");
        assertThat(WebClient.isWhole(part)).isFalse();
        assertThat(WebClient.isWhole(ask(clean, WebClient.get("/")))).isTrue();
    }

    private static String overTls(TestPki pki, ScriptedHost.Script script) throws Exception {
        try (ScriptedHost host = ScriptedHost.tls(pki.server("api.example.com"), script);
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.encrypted(),
                                new WebRule(host.dial(), Optional.of(pki.caPem())).done())) {
            return WebClient.ask(rig, WebClient.get("/"));
        }
    }

    /// P2: nothing is said to a host that cannot prove its name.
    @Test
    void p2SaysNothingToAHostThatIsAnother() throws Exception {
        TestPki pki = new TestPki();
        TestPki other = new TestPki();
        try (ScriptedHost wrong =
                        ScriptedHost.tls(pki.server("www.example.com"), answering(ok("hello")));
                ScriptedHost forged =
                        ScriptedHost.tls(other.server("api.example.com"), answering(ok("hello")));
                ScriptedHost plain = ScriptedHost.plain(answering(ok("hello")))) {
            for (ScriptedHost host : new ScriptedHost[] {wrong, forged, plain}) {
                WebRule rule = new WebRule(host.dial(), Optional.of(pki.caPem()));
                // The plain one never answers the first words of TLS.
                int handshake = host.equals(plain) ? 2 : 20;
                Limits limits = UpstreamLimits.of(20, handshake, 20, 20);
                try (WebRig rig = new WebRig(WebRig.Terms.encrypted().with(limits), rule.done())) {
                    String answer = WebClient.ask(rig, WebClient.get("/path-that-nobody-sees"));
                    assertThat(answer).contains("sallyport-reason: upstream-");
                    assertThat(host.received()).doesNotContain("path-that-nobody-sees");
                }
            }
        }
    }

    @Test
    void filtersTheFieldsOfAnswers() throws Exception {
        String answer =
                answerTo(
                        String.join(
                                "\r\n",
                                "HTTP/1.1 302 Elsewhere",
                                "Location: http://www.example.org/",
                                "Link: <a>",
                                "Link: <b>",
                                "X_Under: 1",
                                "X-Latin: caf\u00e9",
                                "X-Tab: a\tb",
                                "Set-Cookie: a=b",
                                "WWW-Authenticate: Basic",
                                "Proxy-Authenticate: Basic",
                                "Alt-Svc: h3=\":443\"",
                                "Strict-Transport-Security: max-age=1",
                                "Keep-Alive: timeout=5",
                                "Upgrade: h2c",
                                "Trailer: X",
                                "Sallyport-Reason: forged",
                                "Connection: close",
                                "Content-Length: 2",
                                "",
                                "xx"));
        String head = answer.substring(0, answer.indexOf("\r\n\r\n"));
        assertThat(head.lines())
                .containsExactlyInAnyOrder(
                        "HTTP/1.1 302 Found",
                        "location: http://www.example.org/",
                        "link: <a>, <b>",
                        "x-tab: a b",
                        "content-length: 2",
                        "connection: close");
    }

    @ParameterizedTest
    @CsvSource({"HEAD, 200", "GET, 204", "GET, 304"})
    void answersWithoutABodyEndWithTheirHead(String method, int status) throws Exception {
        String request = method + " / HTTP/1.1\r\nHost: api.example.com\r\n\r\n";
        String bodiless = "HTTP/1.1 " + status + " X\r\nETag: 1\r\nContent-Length: 5\r\n\r\n";
        try (ScriptedHost host =
                        ScriptedHost.plain(
                                peer -> {
                                    peer.head();
                                    peer.say(bodiless);
                                    peer.head();
                                    peer.say(ok("next"));
                                });
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebClient client = new WebClient(rig)) {
            client.send(request);
            assertThat(client.until("\r\n\r\n")).startsWith("HTTP/1.1 " + status);
            client.send("GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n");
            assertThat(client.answer()).startsWith("HTTP/1.1 200").endsWith("next");
            assertThat(host.peers).hasSize(1);
        }
    }

    @Test
    void skipsSomeInterimAnswers() throws Exception {
        String interim = "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n";
        assertThat(answerTo(interim.repeat(8) + ok("final"))).endsWith("\r\n\r\nfinal");
        assertRefused(answerTo(interim.repeat(9) + ok("final")), "upstream-misbehaved");
    }

    @Test
    void takesTheAnswerOfAnOldServer() throws Exception {
        String answer = answerTo("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nxx");
        assertThat(answer).startsWith("HTTP/1.1 200 OK").endsWith("\r\n\r\nxx");
        assertRefused(
                answerTo("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                "upstream-misbehaved");
    }

    @Test
    void doesNotWaitForASilentHost() throws Exception {
        Limits hasty = UpstreamLimits.of(20, 20, 2, 20);
        assertRefused(ask(ScriptedHost.Peer::drain, WebClient.get("/"), hasty), "upstream-timeout");
    }
}
