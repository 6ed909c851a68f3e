package dev.sallyport.git;

import static dev.sallyport.git.HostileUpstream.say;
import static dev.sallyport.git.HostileUpstream.saying;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.UpstreamLimits;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// P2: whatever upstream answers, the secret reaches neither another host nor the sandbox, and what
/// is not whole is not presented as whole.
final class HostileUpstreamTest {
    private static final String BASE = "/git/" + DoorRig.HOST + "/acme/app.git/";
    private static final String REFS = BASE + "info/refs";
    private static final String UPLOAD_QUERY = "?service=git-upload-pack";
    private static final String TYPE = "application/x-git-upload-pack-advertisement";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Type: " + TYPE + "\r\n";
    private static final String BASIC =
            Base64.getEncoder()
                    .encodeToString(
                            (DoorRig.USER + ":" + DoorRig.TOKEN).getBytes(StandardCharsets.UTF_8));

    private final TestPki pki = new TestPki();

    private static RepoGrant grant() throws Exception {
        return new RepoGrant(
                RepoPattern.parse(DoorRig.HOST + "/acme/app"),
                Access.WRITE,
                RefVisibility.all(),
                PushRules.standard());
    }

    private String ask(HostileUpstream upstream, Limits limits) throws Exception {
        String request = RawClient.get(REFS + UPLOAD_QUERY);
        try (DoorRig rig = new DoorRig(upstream.dial(), pki.caPem(), limits, grant())) {
            String answer = RawClient.send(rig.port(), request);
            assertThat(answer).doesNotContain(DoorRig.TOKEN, BASIC);
            assertThat(rig.events.toString()).doesNotContain(DoorRig.TOKEN, BASIC);
            return answer;
        }
    }

    private String askRefs(HostileUpstream.Script script) throws Exception {
        return askRefs(script, UpstreamLimits.PATIENT);
    }

    private String askRefs(HostileUpstream.Script script, Limits limits) throws Exception {
        try (HostileUpstream upstream =
                new HostileUpstream(pki.server(DoorRig.HOST.value()), script)) {
            String answer = ask(upstream, limits);
            assertThat(upstream.heads()).hasSize(1).first().asString().contains(BASIC);
            return answer;
        }
    }

    private static void assertRefused(String answer, String code) {
        assertThat(answer).contains("sallyport-reason: " + code).doesNotContain("HTTP/1.1 200");
        assertThat(RawClient.isWhole(answer)).isTrue();
    }

    @Test
    void positiveControlAGoodAnswerIsRelayedWithoutItsHeaders() throws Exception {
        String answer =
                askRefs(
                        saying(
                                OK
                                        + "Set-Cookie: a=b\r\nAlt-Svc: h2=\"evil:1\"\r\nX-Echo: "
                                        + DoorRig.TOKEN
                                        + "\r\nContent-Length: 4\r\n\r\n0000"));
        assertThat(answer).startsWith("HTTP/1.1 200").endsWith("\r\n\r\n0000");
        assertThat(answer).doesNotContain("Cookie").doesNotContain("vil").doesNotContain("Echo");
        assertThat(RawClient.isWhole(answer)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 301, 302, 303, 305, 307, 308})
    void g19FollowsNoRedirectToAnotherHost(int status) throws Exception {
        try (HostileUpstream elsewhere =
                new HostileUpstream(
                        pki.server("elsewhere.example"), saying("HTTP/1.1 200 OK\r\n\r\n"))) {
            String location = "https://127.0.0.1:" + elsewhere.port() + "/acme/app.git/info/refs";
            String answer =
                    askRefs(
                            saying(
                                    "HTTP/1.1 "
                                            + status
                                            + " Moved\r\nLocation: "
                                            + location
                                            + "\r\nContent-Length: 0\r\n\r\n"));
            assertRefused(answer, "upstream-misbehaved");
            assertThat(answer).doesNotContain(location);
            assertThat(elsewhere.heads()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "401, credential-refused, 403",
        "403, upstream-forbidden, 403",
        "413, upstream-too-large, 413",
        "429, upstream-busy, 429",
        "500, upstream-failed, 502",
        "503, upstream-failed, 502",
        "599, upstream-failed, 502",
        "418, upstream-misbehaved, 502"
    })
    void tellsApartWhyUpstreamRefusesAndNothingOfItsWords(int status, String reason, int shown)
            throws Exception {
        String answer = askRefs(saying(refusal(status, "WWW-Authenticate: Basic")));

        assertRefused(answer, reason);
        assertThat(answer)
                .startsWith("HTTP/1.1 " + shown)
                .doesNotContain("secret words")
                .doesNotContain("Authenticate")
                .doesNotContain("retry-after");
    }

    @ParameterizedTest
    @CsvSource({
        "120, 120",
        "0, 0",
        "999999999, 86400",
        "'Fri, 01 Jan 1999 00:00:00 GMT', 0",
        "'Fri, 31 Dec 9999 23:59:59 GMT', 86400"
    })
    void retryAfterIsReadAndWrittenAnew(String value, String shown) throws Exception {
        assertThat(askRefs(saying(refusal(429, "Retry-After: " + value))))
                .contains("\r\nretry-after: " + shown + "\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-1",
                "+5",
                "1.5",
                "12345678901",
                "soon",
                "Thu, 01 Jan 1999 00:00:00 GMT",
                "Fri, 01 Jan 1999 00:00:00 CET",
                "5\r\nRetry-After: 6"
            })
    void retryAfterThatIsNeitherSecondsNorADateIsDropped(String value) throws Exception {
        String answer = askRefs(saying(refusal(503, "Retry-After: " + value)));
        assertRefused(answer, "upstream-failed");
        assertThat(answer).doesNotContain("retry-after");
    }

    private static String refusal(int status, String field) {
        return "HTTP/1.1 "
                + status
                + " No\r\n"
                + field
                + "\r\nContent-Length: 12\r\n\r\nsecret words";
    }

    @Test
    void refusesAnswersThatAreNotSmartHttp() throws Exception {
        List<String> answers =
                List.of(
                        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n0000",
                        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n0000",
                        OK + "Content-Type: text/plain\r\nContent-Length: 4\r\n\r\n0000",
                        OK.replace(TYPE, TYPE + "; charset=x") + "Content-Length: 4\r\n\r\n0000",
                        OK + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n0000",
                        OK + "Content-Length: 4\r\nContent-Length: 5\r\n\r\n0000",
                        OK + "Content-Length: -1\r\n\r\n0000",
                        OK + "Transfer-Encoding: gzip, chunked\r\n\r\n4\r\n0000\r\n0\r\n\r\n",
                        OK
                                + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0000\r\n0\r\n\r\n",
                        OK + "\r\n0000",
                        OK.replace("1.1", "1.0") + "Content-Length: 4\r\n\r\n0000",
                        "HTTP/1.1 204 No Content\r\n\r\n",
                        "HTTP/1.1 206 Partial\r\nContent-Type: "
                                + TYPE
                                + "\r\nContent-Length: 4\r\n\r\n0000",
                        "HTTP/2 200\r\n\r\n",
                        "garbage\r\n\r\n",
                        "\0\0\0\u0012\u0004",
                        "",
                        OK + "X: " + "y".repeat(10_000) + "\r\nContent-Length: 4\r\n\r\n0000",
                        "HTTP/1.1 100 Continue\r\n\r\n".repeat(20));
        for (String hostile : answers) {
            assertRefused(askRefs(saying(hostile)), "upstream-misbehaved");
        }
    }

    @Test
    void skipsInterimAnswers() throws Exception {
        assertThat(
                        askRefs(
                                saying(
                                        "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
                                                + OK
                                                + "Content-Length: 4\r\n\r\n0000")))
                .startsWith("HTTP/1.1 200")
                .endsWith("0000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 10\r\n\r\n0000",
                "Transfer-Encoding: chunked\r\n\r\n4\r\n0000\r\n",
                "Transfer-Encoding: chunked\r\n\r\n4\r\n0000\r\n8\r\n00",
                "Transfer-Encoding: chunked\r\n\r\n4\r\n0000\r\nzz\r\n",
                "Transfer-Encoding: chunked\r\n\r\n4\r\n0000\r\n0\r\n"
            })
    void cutsWhatUpstreamCut(String rest) throws Exception {
        String answer = askRefs(saying(OK + rest));
        assertThat(answer).startsWith("HTTP/1.1 200");
        assertThat(RawClient.isWhole(answer)).isFalse();
    }

    @Test
    void cutsAnAnswerThatStalls() throws Exception {
        String answer =
                askRefs(
                        (connection, _) -> {
                            say(connection, OK + "Content-Length: 10\r\n\r\n0000");
                            Thread.sleep(8_000);
                        },
                        UpstreamLimits.of(20, 20, 20, 1));
        assertThat(answer).startsWith("HTTP/1.1 200");
        assertThat(RawClient.isWhole(answer)).isFalse();
    }

    @Test
    void refusesWhenNoAnswerComes() throws Exception {
        Limits hasty = UpstreamLimits.of(20, 20, 1, 20);
        assertRefused(askRefs((_, _) -> Thread.sleep(8_000), hasty), "upstream-timeout");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void p1CutsAnAnswerThatEchoesTheSecret(boolean encoded) throws Exception {
        String echo = encoded ? BASIC : DoorRig.TOKEN;
        String answer =
                askRefs(
                        (connection, _) -> {
                            say(connection, OK + "Content-Length: 2000\r\n\r\n0000");
                            say(connection, echo.substring(0, 30));
                            Thread.sleep(100);
                            say(connection, echo.substring(30) + " ".repeat(2_000));
                        });
        // Up to here the Base64 is that of the user name, which is no secret.
        assertThat(answer).doesNotContain(echo.substring(encoded ? 20 : 0, encoded ? 28 : 8));
        assertThat(RawClient.isWhole(answer)).isFalse();
    }

    @Test
    void anAnswerBeforeTheWholeRequestIsNotPresentedAsComplete() throws Exception {
        String result = "application/x-git-upload-pack-result";
        String early =
                "HTTP/1.1 200 OK\r\nContent-Type: " + result + "\r\nContent-Length: 4\r\n\r\n0000";
        try (HostileUpstream upstream =
                        new HostileUpstream(
                                pki.server(DoorRig.HOST.value()),
                                (connection, _) -> {
                                    say(connection, early);
                                    Thread.sleep(2_000);
                                });
                DoorRig rig =
                        new DoorRig(
                                upstream.dial(), pki.caPem(), UpstreamLimits.PATIENT, grant())) {
            String half =
                    RawClient.post(
                                    BASE + "git-upload-pack",
                                    "application/x-git-upload-pack-request",
                                    "x".repeat(1_000))
                            .replace("Content-Length: 1000", "Content-Length: 1001");
            String answer = RawClient.send(rig.port(), half);
            assertThat(answer.startsWith("HTTP/1.1 200") && RawClient.isWhole(answer)).isFalse();
        }
    }

    @Test
    void g19SendsNothingToAHostThatCannotProveItsName() throws Exception {
        TestPki other = new TestPki();
        try (HostileUpstream wrongName =
                        new HostileUpstream(pki.server("other.example"), saying(""));
                HostileUpstream wrongAuthority =
                        new HostileUpstream(other.server(DoorRig.HOST.value()), saying(""))) {
            for (HostileUpstream impostor : List.of(wrongName, wrongAuthority)) {
                String answer = ask(impostor, UpstreamLimits.PATIENT);
                assertRefused(answer, "upstream-untrusted");
                assertThat(impostor.heads()).isEmpty();
            }
        }
    }

    /// Otherwise whoever hangs up in time, or has upstream do so, has everything for free.
    @Test
    void whatWasMovedIsCountedThoughTheRestNeverComes() throws Exception {
        String answer = OK + "Content-Length: 100\r\n\r\n" + "x".repeat(40);
        try (HostileUpstream upstream =
                        new HostileUpstream(pki.server(DoorRig.HOST.value()), saying(answer));
                DoorRig rig =
                        new DoorRig(
                                upstream.dial(), pki.caPem(), UpstreamLimits.PATIENT, grant())) {
            String got = RawClient.send(rig.port(), RawClient.get(REFS + UPLOAD_QUERY));
            assertThat(RawClient.isWhole(got)).isFalse();
            assertThat(rig.recorded("git.failed")).containsExactly(" upstream-misbehaved");
            assertThat(rig.bytesDown).hasValue(40);
        }
    }

    @Test
    void aHostThatDoesNotListenIsUnreachable() throws Exception {
        try (DoorRig rig =
                new DoorRig("127.0.0.1:1", pki.caPem(), UpstreamLimits.PATIENT, grant())) {
            assertRefused(
                    RawClient.send(rig.port(), RawClient.get(REFS + UPLOAD_QUERY)),
                    "upstream-unreachable");
        }
    }
}
