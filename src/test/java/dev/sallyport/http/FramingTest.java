package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// E11, E13, P5: framing that two readers could read differently ends the connection, and what is
/// clear but not served is answered; no door hears of either.
final class FramingTest {
    private static final String HOST = "Host: gateway.sallyport\r\n";
    private static final String POST = "POST /git/x HTTP/1.1\r\n" + HOST;
    private static final String CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n";

    static Stream<Arguments> ambiguousHeads() {
        return Stream.of(
                Arguments.of(
                        "CL.TE", POST + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"),
                Arguments.of(
                        "TE.CL", POST + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n"),
                Arguments.of("0.CL", POST + "Content-Length: 0\r\nContent-Length: 9\r\n\r\n"),
                Arguments.of(
                        "same length twice",
                        POST + "Content-Length: 4\r\nContent-Length: 4\r\n\r\n"),
                Arguments.of("length list", POST + "Content-Length: 4, 4\r\n\r\n"),
                Arguments.of("signed length", POST + "Content-Length: +4\r\n\r\n"),
                Arguments.of("negative length", POST + "Content-Length: -1\r\n\r\n"),
                Arguments.of("hex length", POST + "Content-Length: 0x4\r\n\r\n"),
                Arguments.of("empty length", POST + "Content-Length:\r\n\r\n"),
                Arguments.of("length with space inside", POST + "Content-Length: 4 4\r\n\r\n"),
                Arguments.of(
                        "length beyond long", POST + "Content-Length: 9999999999999999999\r\n\r\n"),
                Arguments.of(
                        "twenty digits", POST + "Content-Length: 00000000000000000004\r\n\r\n"),
                Arguments.of("TE list", POST + "Transfer-Encoding: gzip, chunked\r\n\r\n"),
                Arguments.of("TE leading comma", POST + "Transfer-Encoding: ,chunked\r\n\r\n"),
                Arguments.of("TE case", POST + "Transfer-Encoding: Chunked\r\n\r\n"),
                Arguments.of("TE identity", POST + "Transfer-Encoding: identity\r\n\r\n"),
                Arguments.of("TE xchunked", POST + "Transfer-Encoding: xchunked\r\n\r\n"),
                Arguments.of("TE empty (TE.0)", POST + "Transfer-Encoding:\r\n\r\n"),
                Arguments.of("TE vertical tab", POST + "Transfer-Encoding: \u000bchunked\r\n\r\n"),
                Arguments.of(
                        "TE twice",
                        POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"));
    }

    static Stream<Arguments> ambiguousLines() {
        return Stream.of(
                Arguments.of("space before colon", POST + "Transfer-Encoding : chunked\r\n\r\n"),
                Arguments.of("tab before colon", POST + "Content-Length\t: 4\r\n\r\n"),
                Arguments.of("space before name", POST + " Content-Length: 4\r\n\r\n"),
                Arguments.of("obs-fold", POST + "X: a\r\n b\r\n\r\n"),
                Arguments.of("obs-fold TE", POST + "Transfer-Encoding:\r\n chunked\r\n\r\n"),
                Arguments.of("no colon", POST + "Content-Length\r\n\r\n"),
                Arguments.of("empty name", POST + ": 4\r\n\r\n"),
                Arguments.of("bare LF after field", POST + "X: a\nContent-Length: 4\r\n\r\n"),
                Arguments.of("bare LF at the end", POST + "X: a\r\n\n"),
                Arguments.of("bare LF lines", "GET / HTTP/1.1\nHost: gateway.sallyport\n\n"),
                Arguments.of("bare CR in value", POST + "X: a\rContent-Length: 4\r\n\r\n"),
                Arguments.of("leading CRs", "\r\r\rGET / HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("leading empty line", "\r\nGET / HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("NUL in value", POST + "X: a\0b\r\n\r\n"),
                Arguments.of("NUL in name", POST + "Content\0-Length: 4\r\n\r\n"),
                Arguments.of("NUL in target", "GET /\0 HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("DEL in value", POST + "X: \u007f\r\n\r\n"),
                Arguments.of("escape in value", POST + "X: \u001b[2J\r\n\r\n"),
                Arguments.of("two spaces", "GET  / HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("tab as space", "GET\t/ HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("space in target", "GET / x HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("trailing space", "GET / HTTP/1.1 \r\n" + HOST + "\r\n"),
                Arguments.of("leading space", " GET / HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("HTTP/0.9", "GET /\r\n\r\n"),
                Arguments.of("version with zero", "GET / HTTP/1.10\r\n" + HOST + "\r\n"),
                Arguments.of("version in lower case", "GET / http/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("TLS hello", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000"),
                Arguments.of("control byte in method", "G\u0001T / HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of(
                        "clear fault beside CL+TE",
                        "get / HTTP/1.1\r\nX_Y: 1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"));
    }

    static Stream<Arguments> ambiguousBodies() {
        return Stream.of(
                Arguments.of("chunk extension", "4;a=b\r\nwiki\r\n0\r\n\r\n"),
                Arguments.of("empty chunk extension", "4;\r\nwiki\r\n0\r\n\r\n"),
                Arguments.of("extension on last chunk", "4\r\nwiki\r\n0;x\r\n\r\n"),
                Arguments.of("trailer", "4\r\nwiki\r\n0\r\nX: y\r\n\r\n"),
                Arguments.of("trailing Content-Length", "0\r\nContent-Length: 9\r\n\r\n"),
                Arguments.of("bare LF after size", "4\nwiki\r\n0\r\n\r\n"),
                Arguments.of("bare LF after data", "4\r\nwiki\n0\r\n\r\n"),
                Arguments.of("bare CR after size", "4\rwiki\r\n0\r\n\r\n"),
                Arguments.of("0x size", "0x4\r\nwiki\r\n0\r\n\r\n"),
                Arguments.of("negative size", "-4\r\nwiki\r\n0\r\n\r\n"),
                Arguments.of("space before size", " 4\r\nwiki\r\n0\r\n\r\n"),
                Arguments.of("space after size", "4 \r\nwiki\r\n0\r\n\r\n"),
                Arguments.of("empty size", "\r\nwiki\r\n0\r\n\r\n"),
                Arguments.of("nine digits", "000000004\r\nwiki\r\n0\r\n\r\n"),
                Arguments.of("overflowing size", "ffffffffffffffff1\r\nwiki\r\n"),
                Arguments.of("size too small", "3\r\nwiki\r\n0\r\n\r\n"),
                Arguments.of("no line end after the last chunk", "0\r\nGET / HTTP/1.1\r\n"));
    }

    static Stream<Arguments> clearButNotServed() {
        return Stream.of(
                Arguments.of("no Host", 400, "GET / HTTP/1.1\r\n\r\n"),
                Arguments.of("two Hosts", 400, "GET / HTTP/1.1\r\n" + HOST + HOST + "\r\n"),
                Arguments.of("odd Host", 400, "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"),
                Arguments.of("empty Host", 400, "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
                Arguments.of("HTTP/1.0", 400, "GET / HTTP/1.0\r\n" + HOST + "\r\n"),
                Arguments.of("HTTP/9.9", 400, "GET / HTTP/9.9\r\n" + HOST + "\r\n"),
                Arguments.of("lower-case method", 400, "get / HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of(
                        "absolute-form",
                        400,
                        "GET http://github.com/ HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("CONNECT", 400, "CONNECT github.com:443 HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("asterisk-form", 400, "OPTIONS * HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("fragment", 400, "GET /a#b HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("backslash", 400, "GET /a\\b HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("escaped NUL", 400, "GET /a%00 HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("escaped line end", 400, "GET /a%0d%0a HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("broken escape", 400, "GET /a%2 HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of(
                        "high byte in target", 400, "GET /\u00e9 HTTP/1.1\r\n" + HOST + "\r\n"),
                Arguments.of("underscore name", 400, POST + "Transfer_Encoding: chunked\r\n\r\n"),
                Arguments.of("high byte in value", 400, POST + "X: \u00e9\r\n\r\n"),
                Arguments.of("other expectation", 400, POST + "Expect: magic\r\n\r\n"),
                Arguments.of(
                        "Connection names Content-Length",
                        400,
                        POST + "Connection: Content-Length\r\n\r\n"),
                Arguments.of(
                        "Connection names Host", 400, POST + "Connection: close, host\r\n\r\n"),
                Arguments.of(
                        "repeated Content-Type",
                        400,
                        POST + "Content-Type: a\r\nContent-Type: b\r\n\r\n"),
                Arguments.of("name too long", 431, POST + "x".repeat(129) + ": y\r\n\r\n"),
                Arguments.of("too many fields", 431, POST + "X: y\r\n".repeat(64) + "\r\n"),
                Arguments.of("too many bytes", 431, POST + "X: " + "y".repeat(20_000)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"ambiguousHeads", "ambiguousLines"})
    void e11_p5_closesWithoutAnswerWhenAHeadIsAmbiguous(String name, String request) {
        assertClosedInSilence(request + "4\r\nwiki\r\n0\r\n\r\n");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ambiguousBodies")
    void e11_p5_closesWithoutAnswerWhenAChunkedBodyIsAmbiguous(String name, String body) {
        for (boolean dribbled : new boolean[] {false, true}) {
            RecordingDoor door = RecordingDoor.answeringAtTheEnd();
            try (Wire wire = new Wire(door)) {
                String request = CHUNKED + body;
                var _ = dribbled ? wire.dribble(request) : wire.send(request);
                assertThat(wire.isOpen()).isFalse();
                assertThat(wire.answered()).isEmpty();
                assertThat(door.ends).isZero();
                assertThat(door.aborts).hasSize(1);
                assertThat(wire.quota.inFlight()).isZero();
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("clearButNotServed")
    void e13_p5_answersAndClosesWhenAHeadIsClearButNotServed(
            String name, int status, String request) {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.send(request + "GET /second HTTP/1.1\r\n" + HOST + "\r\n");
            assertThat(wire.answered())
                    .startsWith("HTTP/1.1 " + status + " ")
                    .contains("\r\nconnection: close\r\n", "\r\nsallyport-id: ")
                    .containsOnlyOnce("HTTP/1.1");
            assertThat(wire.isOpen()).isFalse();
            assertThat(door.heads).isEmpty();
            assertThat(wire.recorded).hasSize(1);
        }
    }

    private static void assertClosedInSilence(String request) {
        for (boolean dribbled : new boolean[] {false, true}) {
            RecordingDoor door = RecordingDoor.answeringAtTheEnd();
            try (Wire wire = new Wire(door)) {
                var _ = dribbled ? wire.dribble(request) : wire.send(request);
                assertThat(wire.isOpen()).isFalse();
                assertThat(wire.answered()).isEmpty();
                assertThat(door.heads).isEmpty();
                assertThat(wire.recorded).hasSize(1);
            }
        }
    }
}
