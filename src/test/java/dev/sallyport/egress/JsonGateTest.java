package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.GatewayWork;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// E16: what a server would do on a sandbox's behalf is denied in the body that asks for it.
final class JsonGateTest {
    private static final String[] DENIED = {"type=web_fetch*", "type=url", "mcp_servers=*"};

    private static WebRule rule(String dial) throws MalformedNameException {
        return new WebRule(dial, Optional.empty()).jsonDenied(DENIED);
    }

    static EgressPermit permit() throws MalformedNameException {
        SessionId id = SessionId.random();
        Egress egress = new Egress(List.of(rule("127.0.0.1:1").done()), false);
        return switch (new Policy(id, List.of(), egress).decide(WebRig.HOST, 80)) {
            case Decision.Allow(var allowed) -> allowed;
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// What comes out when the body comes in pieces of this size; empty when it is denied.
    private static Optional<String> passed(byte[] body, int pieceBytes) throws Exception {
        JsonGate gate = JsonGate.of(permit(), JsonRoom.ofGateway(GatewayWork.directory()));
        ByteBuf in = Unpooled.wrappedBuffer(body);
        try {
            while (in.isReadable()) {
                gate.read(in.readSlice(Math.min(pieceBytes, in.readableBytes())));
            }
            byte[] kept = without(body, gate.finish());
            return Optional.of(new String(kept, StandardCharsets.UTF_8));
        } catch (RefusedException _) {
            return Optional.empty();
        } finally {
            gate.release();
        }
    }

    /// What is left of a body.
    static byte[] without(byte[] body, List<JsonGate.Cut> cuts) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        int from = 0;
        for (JsonGate.Cut cut : cuts) {
            kept.write(body, from, (int) cut.from() - from);
            from = (int) cut.to();
        }
        kept.write(body, from, body.length - from);
        return kept.toByteArray();
    }

    private static void assertDenied(byte[] body) throws Exception {
        for (int size : new int[] {1, 3, 1_000, Integer.MAX_VALUE}) {
            assertThat(passed(body, size)).as("pieces of %s", size).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "1",
                " \"x\" \r\n",
                "{\"type\":\"text\",\"tools\":[{\"type\":\"bash\"}],\"n\":-1.5e3,\"u\":\"\\u00e9\u20ac\"}",
                "{\"type\":1}",
                "{\"type\":{\"type\":null}}",
                "{\"a\":{\"x\":1},\"b\":{\"x\":1}}",
                "{\"text\":\"web_fetch\",\"x\":[\"url\",[\"web_fetch\"]]}",
                "{\"types\":\"web_fetch\"}",
                "\"\\\\\\\"\\u0022{\""
            })
    void positiveControlOrdinaryDocumentsPassUnchanged(String body) throws Exception {
        for (int size : new int[] {1, 3, 1_000}) {
            assertThat(passed(bytes(body), size)).contains(body);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"web_fetch\"}",
                "{\"type\":\"web_fetch_20250910\"}",
                "{\"tools\":[{\"name\":\"x\",\"type\":\"web_fetch_1\"}]}",
                "{\"a\":[[{\"b\":{\"source\":{\"type\":\"url\",\"url\":\"http://x\"}}}]]}",
                "{\"\\u0074ype\":\"\\u0075rl\"}",
                "{\"Type\":\"url\"}",
                "{\"type\":[\"text\",\"url\"]}",
                "{\"mcp_servers\":[]}",
                "{\"mcp_servers\":null}",
                "{\"MCP_\u017fervers\":1}"
            })
    void e16DeniesWhatTheRuleNamesHoweverItIsWritten(String body) throws Exception {
        assertDenied(bytes(body));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{}{}",
                "{} x",
                "{}\0",
                "{\"a\":1,\"a\":2}",
                "{\"type\":\"text\",\"type\":\"x\"}",
                "{'a':1}",
                "{a:1}",
                "{\"a\":1,}",
                "[1,]",
                "{/**/}",
                "{}//",
                "[NaN]",
                "[01]",
                "[+1]",
                "[.5]",
                "[\"a\tb\"]",
                "[\"\\x\"]",
                "[\"\\u00g0\"]",
                "\u00a0{}",
                "\ufeff{}",
                "nul",
                "[\"a]"
            })
    void e16DeniesWhatIsNotOneStrictDocument(String body) throws Exception {
        assertDenied(bytes(body));
    }

    @Test
    void e16DeniesWhatIsNotUtf8() throws Exception {
        assertDenied("{\"a\":\"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1));
        assertDenied("{\"a\":1}".getBytes(StandardCharsets.UTF_16LE));
        assertDenied("{\"a\":1}".getBytes(StandardCharsets.UTF_16));
        // A lead byte that swallows the quotation mark for a careless reader.
        String hidden = "[\"" + "x".repeat(70_000) + "\u00c3\",\"";
        assertDenied((hidden + "\"]").getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void p10BoundsWhatADocumentCanCost() throws Exception {
        assertDenied(bytes("[".repeat(300) + "]".repeat(300)));
        assertDenied(bytes("{\"" + "n".repeat(1_001) + "\":1}"));
        assertDenied(bytes("[" + "1".repeat(1_001) + "]"));
        StringBuilder names = new StringBuilder("{");
        for (int i = 0; i <= 100_000; i++) {
            names.append('"').append(Integer.toString(i, 36)).append("\":1,");
        }
        assertThat(passed(bytes(names + "\"x\":1}"), 10_000)).isEmpty();
        assertThat(passed(bytes("[" + "0,".repeat(500_000) + "0]"), 10_000)).isPresent();
    }

    /// A picture is one long string.
    @Test
    void longStringsPassAndHideNothing() throws Exception {
        String data = "\\u00e9\u20ac\\\"x".repeat(100_000);
        String good = "{\"data\":\"" + data + "\",\"type\":\"image\"}";
        String bad = "{\"data\":\"" + data + "\",\"type\":\"url\"}";
        for (int size : new int[] {1, 777, 65_536}) {
            assertThat(passed(bytes(good), size).map(String::length)).contains(good.length());
            assertThat(passed(bytes(bad), size)).isEmpty();
        }
        // Where a denial watches, nothing is too long to be looked at.
        assertDenied(bytes("{\"type\":\"" + "x".repeat(70_000) + "\"}"));
    }

    private static String json(String fields, String body) {
        return WebClient.post("/", "Content-Type: application/json\r\n" + fields, body);
    }

    @Test
    void e16NoHostHasAByteOfARequestThatIsDenied() throws Exception {
        String good = "{\"type\":\"text\",\"x\":\"" + "y".repeat(100_000) + "\"}";
        String bad = "{\"x\":\"" + "y".repeat(100_000) + "\",\"type\":\"url\"}";
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host.dial()).done())) {
            assertThat(WebClient.ask(rig, json("", good))).endsWith("hello");
            assertThat(host.received()).endsWith(good);

            String answer = WebClient.ask(rig, json("", bad));
            assertThat(answer).contains("sallyport-reason: content-not-allowed");
            assertThat(answer).contains("(type=url)");
            assertThat(rig.recorded("egress.request"))
                    .containsExactly("allow -", "deny content-not-allowed");

            for (String other : List.of("{} {\"type\":\"url\"}", "{\"unfinished\":1")) {
                assertThat(WebClient.ask(rig, json("", other))).contains("content-not-allowed");
            }
            assertThat(host.peers).hasSize(1);
            assertThat(host.received()).endsWith(good);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Content-Type: text/plain\r\n",
                "Content-Type: application/json; charset=utf-16\r\n",
                "Content-Type: application/json, text/plain\r\n",
                "Content-Type: application/x-www-form-urlencoded\r\n",
                "Content-Type: application/json\r\nContent-Encoding: gzip\r\n"
            })
    void e16TakesOnlyBodiesThatCanBeRead(String fields) throws Exception {
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = new WebRig(WebRig.Terms.plain(), rule(host.dial()).done())) {
            assertThat(WebClient.ask(rig, WebClient.post("/", fields, "{}")))
                    .contains("sallyport-reason: content-not-allowed");
            assertThat(host.peers).isEmpty();
            assertThat(WebClient.ask(rig, WebClient.get("/"))).endsWith("hello");
            assertThat(
                            WebClient.ask(
                                    rig,
                                    WebClient.post(
                                            "/",
                                            "Content-Type: Application/JSON; charset=UTF-8\r\n",
                                            "{}")))
                    .endsWith("hello");
        }
    }
}
