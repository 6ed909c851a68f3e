package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// P5: heads of requests to hosts besides git, directly and through the proxy.
final class WebHeadTest {
    private static final String HOST = "Host: api.example.com\r\n";

    /// What the decoder says first about a head.
    private static Inbound read(HeadForm form, String head) {
        RequestDecoder decoder = new RequestDecoder(Limits.standard().http(), form);
        EmbeddedChannel channel = new EmbeddedChannel(decoder);
        decoder.demand(true);
        channel.writeInbound(Unpooled.copiedBuffer(head, StandardCharsets.ISO_8859_1));
        assertThat((Inbound) channel.readInbound()).isInstanceOf(Inbound.Begun.class);
        Inbound found = channel.readInbound();
        channel.finishAndReleaseAll();
        return found;
    }

    private static RequestHead head(HeadForm form, String text) {
        return ((Inbound.Head) read(form, text)).head();
    }

    private static String get(String target, String fields) {
        return "GET " + target + " HTTP/1.1\r\n" + HOST + fields + "\r\n";
    }

    @Test
    void keepsEveryFieldThatHasOneMeaning() {
        RequestHead head =
                head(HeadForm.WEB, get("/a", "Accept: a\r\nX-Any: b\r\nACCEPT: c\r\nTE: x\r\n"));
        assertThat(head.fields())
                .containsEntry("accept", "a, c")
                .containsEntry("x-any", "b")
                .containsEntry("te", "x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Any: a\r\nX-Any: a\r\n",
                "Authorization: a\r\nAuthorization: b\r\n",
                "Content-Type: a\r\ncontent-type: b\r\n",
                "Host: api.example.com\r\n",
                "X_Any: a\r\n",
                "X.Any: a\r\n",
                "X-Any: \u00e9\r\n",
                "X-Any: a\r\nConnection: x-any\r\n",
                "X-Any: a\r\nConnection: close, X-ANY\r\n",
                "Connection: authorization\r\n",
                "Connection: host\r\n",
                "Connection: transfer-encoding\r\n",
                "Expect: 200-ok\r\n"
            })
    void e13RefusesFieldsThatCouldMeanTwoThings(String fields) {
        for (HeadForm form : new HeadForm[] {HeadForm.WEB, HeadForm.PROXY}) {
            String target = form == HeadForm.PROXY ? "http://api.example.com/" : "/";
            assertThat(read(form, get(target, fields)))
                    .isEqualTo(new Inbound.Refused(Refusal.BAD_REQUEST, false));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 1\r\nContent-Length: 1\r\n",
                "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: gzip\r\n",
                "X-Any : a\r\n",
                "X-Any: a\r\n b\r\n",
                "X-Any: a\n"
            })
    void e11EndsInSilenceWhenFramingIsAmbiguous(String fields) {
        assertThat(read(HeadForm.WEB, get("/", fields))).isEqualTo(new Inbound.Ambiguous());
    }

    @Test
    void connectionMayNameWhatIsAboutTheConnection() {
        RequestHead head =
                head(
                        HeadForm.WEB,
                        get(
                                "/",
                                "Connection: Upgrade, HTTP2-Settings, TE, keep-alive, x-absent\r\nUpgrade: h2c\r\nHTTP2-Settings: A\r\nTE: trailers\r\n"));
        assertThat(head.keepAlive()).isTrue();
    }

    @Test
    void takesQueriesAsBrowsersWriteThem() {
        RequestHead head = head(HeadForm.WEB, get("/a?b[c]={d|e}^`\\%0a%09%0D", ""));
        assertThat(head.query()).isEqualTo("b[c]={d|e}^`\\%0a%09%0D");
        assertThat(read(HeadForm.FRONT, get("/a?b[c]", "")))
                .isEqualTo(new Inbound.Refused(Refusal.BAD_REQUEST, false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a[b]",
                "/a|b",
                "/a%0a",
                "/a?b%00",
                "/a?b%1b",
                "/a?b%7f",
                "/a?b%",
                "/a?b%g0",
                "/a?<b>",
                "/a?\"b\"",
                "/a#b",
                "a",
                "*",
                "http://api.example.com/a",
                "/a?\u00e9"
            })
    void e10RefusesOtherTargets(String target) {
        assertThat(read(HeadForm.WEB, get(target, "")))
                .isEqualTo(new Inbound.Refused(Refusal.BAD_REQUEST, false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a",
                "https://api.example.com/a",
                "ftp://api.example.com/a",
                "api.example.com/a",
                "http:/api.example.com/a",
                "http://api.example.com/a[b]",
                "http://b\u00fccher.example/"
            })
    void e10RefusesOtherTargetsThroughTheProxy(String target) {
        assertThat(read(HeadForm.PROXY, get(target, "")))
                .isEqualTo(new Inbound.Refused(Refusal.BAD_REQUEST, false));
    }

    @Test
    void readsAbsoluteFormAndConnect() {
        RequestHead absolute = head(HeadForm.PROXY, get("HTTP://Api.Example.com:80?q", ""));
        assertThat(absolute.authority()).contains("api.example.com:80");
        assertThat(absolute.path()).isEqualTo("/");
        assertThat(absolute.query()).isEqualTo("q");
        RequestHead connect =
                head(HeadForm.PROXY, "CONNECT Api.Example.com:443 HTTP/1.1\r\n" + HOST + "\r\n");
        assertThat(connect.authority()).contains("api.example.com:443");
        assertThat(
                        read(
                                HeadForm.PROXY,
                                "CONNECT b\u00fccher.example:443 HTTP/1.1\r\n" + HOST + "\r\n"))
                .isEqualTo(new Inbound.Refused(Refusal.BAD_REQUEST, false));
    }
}
