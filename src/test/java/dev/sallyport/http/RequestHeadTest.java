package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RequestHeadTest {
    private static RequestHead headOf(String request) {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.send(request);
        }
        assertThat(door.heads).hasSize(1);
        return door.heads.getFirst();
    }

    @Test
    void takesTheRequestThatGitSends() {
        RequestHead head =
                headOf(
                        String.join(
                                "\r\n",
                                "GET /git/github.com/a/b.git/info/refs?service=git-upload-pack HTTP/1.1",
                                "Host: Gateway.Sallyport:80",
                                "User-Agent: git/2.39.5",
                                "Accept: */*",
                                "Accept-Encoding: deflate, gzip, br, zstd",
                                "Pragma: no-cache",
                                "Git-Protocol: version=2",
                                "",
                                ""));
        assertThat(head.method()).isEqualTo("GET");
        assertThat(head.path()).isEqualTo("/git/github.com/a/b.git/info/refs");
        assertThat(head.query()).isEqualTo("service=git-upload-pack");
        assertThat(head.host()).isEqualTo("gateway.sallyport:80");
        assertThat(head.field("git-protocol")).contains("version=2");
        assertThat(head.framing()).isEqualTo(new BodyFraming.None());
        assertThat(head.keepAlive()).isTrue();
    }

    @Test
    void p1_e13_keepsNoFieldThatIsNotOnTheAllowlist() {
        RequestHead head =
                headOf(
                        String.join(
                                "\r\n",
                                "GET / HTTP/1.1",
                                "Host: localhost",
                                "Authorization: Basic eA==",
                                "Cookie: a=b",
                                "Proxy-Authorization: x",
                                "X-Forwarded-For: 1.2.3.4",
                                "Upgrade: h2c",
                                "Connection: Upgrade, HTTP2-Settings",
                                "HTTP2-Settings: AAMA",
                                "Trailer: x",
                                "TE: trailers",
                                "",
                                ""));
        assertThat(head.fields()).containsOnlyKeys("host", "connection");
    }

    @Test
    void e17_ignoresAnUpgradeAndAnswersInHttp11() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.send(
                    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n");
            assertThat(wire.answered()).startsWith("HTTP/1.1 200 OK\r\n").doesNotContain("101");
        }
    }

    @Test
    void deChunksABodyHoweverItIsSplit() {
        String request =
                String.join(
                        "\r\n",
                        "POST / HTTP/1.1",
                        "Host: localhost",
                        "Transfer-Encoding: chunked",
                        "",
                        "4",
                        "wiki",
                        "A",
                        "0123456789",
                        "0",
                        "",
                        "");
        RecordingDoor whole = RecordingDoor.answeringAtTheEnd();
        RecordingDoor split = RecordingDoor.answeringAtTheEnd();
        try (Wire one = new Wire(whole);
                Wire other = new Wire(split)) {
            one.send(request);
            other.dribble(request);
        }
        assertThat(whole.bodies).containsExactly("wiki0123456789");
        assertThat(split.bodies).containsExactly("wiki0123456789");
        assertThat(whole.ends + split.ends).isEqualTo(2);
    }

    @Test
    void takesExactlyTheAnnouncedBytes() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.send("POST /1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc");
            wire.send("GET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(wire.isOpen()).isTrue();
        }
        assertThat(door.bodies).containsExactly("abc", "");
        assertThat(door.heads).extracting(RequestHead::path).containsExactly("/1", "/2");
    }
}
