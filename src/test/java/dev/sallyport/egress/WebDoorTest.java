package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.http.HeadForm;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// P5: what is forwarded was judged, and is built anew from what was judged.
final class WebDoorTest {
    private static WebRule rule(ScriptedHost host) {
        return new WebRule(host.dial(), Optional.empty());
    }

    private static void assertRefused(String answer, String code) {
        assertThat(answer).contains("sallyport-reason: " + code).doesNotContain("HTTP/1.1 200");
        assertThat(WebClient.isWhole(answer)).isTrue();
    }

    @Test
    void positiveControlARequestGoesOutRebuiltAndItsAnswerComesBack() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            String answer =
                    WebClient.ask(
                            rig,
                            WebClient.post(
                                    "/a/%7Eb/%e2%82%ac?q=%41&r[]=|x",
                                    "User-Agent: curl/8\r\nX-Custom: Yes\r\n", "body"));
            assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\nhello");
            assertThat(host.heads()).hasSize(1);
            assertThat(host.heads().getFirst())
                    .startsWith("POST /a/~b/%E2%82%AC?q=%41&r%5B%5D=%7Cx HTTP/1.1\r\n")
                    .contains("host: api.example.com\r\n")
                    .contains("user-agent: curl/8\r\n")
                    .contains("x-custom: Yes\r\n")
                    .contains("content-length: 4\r\n")
                    .contains("connection: keep-alive\r\n");
            assertThat(host.received()).endsWith("\r\n\r\nbody");
            assertThat(rig.recorded("egress.request")).containsExactly("allow -");
        }
    }

    @Test
    void forwardsAChunkedBodyAsChunks() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            String answer =
                    WebClient.ask(
                            rig,
                            "PUT / HTTP/1.1\r\nHost: api.example.com\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
            assertThat(answer).endsWith("hello");
            assertThat(host.heads().getFirst()).contains("transfer-encoding: chunked");
            assertThat(host.received().replaceAll("\r\n[0-9]\r\n", ""))
                    .contains("abc")
                    .endsWith("\r\n0\r\n\r\n".substring(5));
        }
    }

    /// E3, P7: fronting.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example.com",
                "api.example.com.",
                "api.example.com:81",
                "api.example.com:080",
                "api.example.com:443",
                "127.0.0.1",
                "[::1]"
            })
    void e3RefusesAnotherHostThanTheOneThatWasConnectedTo(String name) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            String request = WebClient.get("/").replace("api.example.com", name);
            assertRefused(WebClient.ask(rig, request), "names-disagree");
            assertThat(host.peers).isEmpty();
            assertThat(rig.recorded("egress.request")).containsExactly("deny names-disagree");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http://api.example.com/x, api.example.com, true",
        "http://api.example.com:80/x, api.example.com, true",
        "HTTP://API.example.com/x, Api.Example.com:80, true",
        "http://evil.example.com/x, api.example.com, false",
        "http://api.example.com/x, evil.example.com, false",
        "http://api.example.com@evil.example.com/x, api.example.com, false",
        "http://api.example.com:81/x, api.example.com, false",
    })
    void e3AbsoluteFormNamesTheSameHost(String target, String name, boolean served)
            throws Exception {
        WebRig.Terms terms = WebRig.Terms.plain().with(HeadForm.PROXY);
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(terms, rule(host).done())) {
            String request =
                    WebClient.get(target).replace("Host: api.example.com", "Host: " + name);
            String answer = WebClient.ask(rig, request);
            if (served) {
                assertThat(answer).endsWith("hello");
                assertThat(host.heads().getFirst())
                        .startsWith("GET /x HTTP/1.1\r\n")
                        .contains("host: api.example.com\r\n");
            } else {
                assertRefused(answer, "names-disagree");
                assertThat(host.peers).isEmpty();
            }
        }
    }

    /// E10: nothing that two servers read in two ways passes a path rule.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/private",
                "/public/../private",
                "/public/%2e%2e/private",
                "/public/%2E./private",
                "/public/..%2fprivate",
                "/public/..;/private",
                "/public/%252e%252e/private",
                "/public/..%5cprivate",
                "/public//x",
                "//public/x",
                "/public/%c0%ae%c0%ae/private",
                "/public/%ef%bc%8e%ef%bc%8e/private",
                "/public/%ef%bc%8fx",
                "/PUBLIC/x",
                "/public%2fx"
            })
    void e10RefusesPathsOutsideTheRule(String path) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig =
                        new WebRig(WebRig.Terms.plain(), rule(host).paths("/public/**").done())) {
            assertRefused(WebClient.ask(rig, WebClient.get(path)), "url-not-allowed");
            assertThat(host.peers).isEmpty();
            assertThat(WebClient.ask(rig, WebClient.get("/public/x?y=../z"))).endsWith("hello");
        }
    }

    /// E10, E14.
    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "TRACE", "PROPFIND", "G"})
    void e10RefusesMethodsOutsideTheRule(String method) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).methods("GET").done())) {
            String request = WebClient.get("/").replaceFirst("GET", method);
            assertRefused(WebClient.ask(rig, request), "method-not-allowed");
            assertThat(host.peers).isEmpty();
            assertThat(WebClient.ask(rig, WebClient.get("/"))).endsWith("hello");
        }
    }

    /// A CONNECT has no path, so this is none.
    @Test
    void refusesAConnectWithAPath() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            String request = WebClient.get("/").replaceFirst("GET", "CONNECT");
            assertRefused(WebClient.ask(rig, request), "bad-request");
            assertThat(host.peers).isEmpty();
        }
    }

    /// E10: what escapes a slash is taken only where the rule is about scopes.
    @Test
    void e10TakesAnEscapedSlashOnlyInAScope() throws Exception {
        String scoped = WebClient.get("/@scope%2fname");
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")))) {
            for (WebRule rule : List.of(rule(host), rule(host).paths("/*", "/*/*", "/**"))) {
                try (WebRig rig = new WebRig(WebRig.Terms.plain(), rule.done())) {
                    assertRefused(WebClient.ask(rig, scoped), "url-not-allowed");
                }
            }
            assertThat(host.peers).isEmpty();
            try (WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).paths("/@*/*").done())) {
                assertThat(WebClient.ask(rig, scoped)).endsWith("hello");
                assertThat(host.heads().getFirst()).startsWith("GET /@scope%2fname HTTP/1.1");
            }
        }
    }

    /// G15, G16: git has one door.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/acme/app.git/info/refs?service=git-upload-pack",
                "/acme/app/info/refs",
                "/acme/app.git/INFO/refs/",
                "/acme/app.git/info;x/refs;y",
                "/acme/app.git/git-upload-pack",
                "/acme/app.git/git-receive-pack",
                "/acme/app.git/git%2dreceive-pack",
                "/acme/app.git/info/lfs/objects/batch",
                "/@acme%2finfo/refs",
                "/@acme%2fgit-upload-pack"
            })
    void g15g16ServesNoGit(String target) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebRig learning = new WebRig(WebRig.Terms.plain().learning(), rule(host).done())) {
            assertRefused(WebClient.ask(rig, WebClient.get(target)), "url-not-allowed");
            assertRefused(WebClient.ask(learning, WebClient.get(target)), "url-not-allowed");
            assertThat(host.peers).isEmpty();
            assertThat(WebClient.ask(rig, WebClient.get("/acme/app/info"))).endsWith("hello");
        }
    }

    /// E4: DNS over HTTPS.
    @Test
    void e4ServesNoDns() throws Exception {
        String question = "AAABAAABAAAAAAAAA3d3dwdleGFtcGxlA2NvbQAAAQAB";
        List<String> requests =
                List.of(
                        WebClient.get("/dns-query?dns=" + question),
                        WebClient.get("/dns-query?x=1&DNS=" + question + "%3d%3d"),
                        WebClient.get("/", "Accept: text/html, application/dns-message\r\n"),
                        WebClient.get("/", "Accept: Application/DNS-JSON;q=1\r\n"),
                        WebClient.post("/", "Content-Type: application/dns-message\r\n", "x"),
                        WebClient.post("/", "Content-Type: a/b, application/dns-message\r\n", "x"));
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done());
                WebRig learning = new WebRig(WebRig.Terms.plain().learning(), rule(host).done())) {
            for (String request : requests) {
                assertRefused(WebClient.ask(rig, request), "content-not-allowed");
                assertRefused(WebClient.ask(learning, request), "content-not-allowed");
            }
            assertThat(host.peers).isEmpty();
            assertThat(WebClient.ask(rig, WebClient.get("/dns-query?dns=example")))
                    .endsWith("hello");
        }
    }

    @Test
    void e4RelaysNoDnsAnswer() throws Exception {
        String answer =
                "HTTP/1.1 200 OK\r\nContent-Type: application/dns-message\r\nContent-Length: 2\r\n\r\nxx";
        try (ScriptedHost host = ScriptedHost.plain(answering(answer));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).done())) {
            assertRefused(WebClient.ask(rig, WebClient.get("/")), "upstream-misbehaved");
        }
    }

    @Test
    void refusesDeniedTypesAndLargeBodiesByTheirHead() throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig =
                        new WebRig(
                                WebRig.Terms.plain(),
                                rule(host).typesDenied("multipart/form-data").bytesMax(4).done())) {
            assertRefused(
                    WebClient.ask(
                            rig,
                            WebClient.post(
                                    "/", "Content-Type: Multipart/form-data; boundary=x\r\n", "x")),
                    "content-not-allowed");
            assertRefused(WebClient.ask(rig, WebClient.post("/", "", "12345")), "body-too-large");
            assertThat(host.peers).isEmpty();
            assertThat(WebClient.ask(rig, WebClient.post("/", "", "1234"))).endsWith("hello");
        }
    }

    /// S25: the limit holds for a body that does not say how long it is.
    @Test
    void cutsAChunkedBodyThatIsTooLargeBeforeUpstreamHasItsEnd() throws Exception {
        try (ScriptedHost host =
                        ScriptedHost.plain(
                                peer -> {
                                    peer.head();
                                    peer.drain();
                                });
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host).bytesMax(4).done())) {
            String answer =
                    WebClient.ask(
                            rig,
                            "PUT / HTTP/1.1\r\nHost: api.example.com\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
            assertRefused(answer, "body-too-large");
            Await.until(() -> !host.peers.isEmpty() && host.peers.getFirst().over);
            assertThat(host.received()).doesNotContain("de\r\n").doesNotContain("0\r\n\r\n");
            assertThat(rig.recorded("egress.failed")).containsExactly(" body-too-large");
        }
    }
}
