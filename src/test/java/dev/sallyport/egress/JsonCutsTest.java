package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.fixture.GatewayWork;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is cut out of any document leaves the document that another parser has after removing the
/// same from its tree.
final class JsonCutsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> REMOVED = List.of("a[b=x*]", "a[].c", "b[=x*]", "c", "b.a");
    private static final String[] NAMES = {"a", "b", "c"};
    private static final String[] TEXTS = {"\"x\"", "\"xy\"", "\"z\"", "1", "null"};

    private static EgressPermit permit() throws Exception {
        var rule = new WebRule("127.0.0.1:1", Optional.empty());
        Egress egress = new Egress(List.of(rule.json(List.of(), REMOVED, List.of()).done()), false);
        return switch (new Policy(SessionId.random(), List.of(), egress).decide(WebRig.HOST, 80)) {
            case Decision.Allow(var allowed) -> allowed;
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    private static String document(Random random, int depth) {
        int kind = depth == 0 ? 2 : random.nextInt(3);
        StringBuilder text = new StringBuilder();
        String gap = " ".repeat(random.nextInt(2));
        if (kind == 2) {
            return TEXTS[random.nextInt(TEXTS.length)];
        }
        int items = random.nextInt(4);
        for (int i = 0; i < Math.min(items, kind == 0 ? NAMES.length : items); i++) {
            text.append(i == 0 ? gap : gap + "," + gap);
            if (kind == 0) {
                text.append('"').append(NAMES[i]).append("\":").append(gap);
            }
            text.append(document(random, depth - 1));
        }
        return kind == 0 ? "{" + text + gap + "}" : "[" + text + gap + "]";
    }

    /// By the words of the reference: conditions first, then members, then what is empty.
    private static JsonNode removed(JsonNode document) {
        if (document instanceof ObjectNode object) {
            if (object.get("a") instanceof ArrayNode list) {
                removeElements(list);
            }
            if (object.get("b") instanceof ArrayNode list) {
                removeIf(list, element -> element.isTextual() && element.asText().startsWith("x"));
            }
            if (object.get("b") instanceof ObjectNode inner) {
                inner.remove("a");
            }
            object.remove("c");
        }
        return document;
    }

    private static void removeElements(ArrayNode list) {
        removeIf(
                list,
                element ->
                        element.path("b").isTextual()
                                && element.path("b").asText().startsWith("x"));
        removeIf(
                list,
                element ->
                        element instanceof ObjectNode object
                                && object.remove("c") != null
                                && object.isEmpty());
    }

    private static void removeIf(ArrayNode list, java.util.function.Predicate<JsonNode> test) {
        for (int i = list.size() - 1; i >= 0; i--) {
            if (test.test(list.get(i))) {
                list.remove(i);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void leaveWhatAnotherParserLeaves(long seed) throws Exception {
        EgressPermit permit = permit();
        Path work = GatewayWork.directory();
        Random random = new Random(seed);
        int changed = 0;
        for (int i = 0; i < 5_000; i++) {
            byte[] body =
                    ("{\"a\":"
                                    + document(random, 3)
                                    + ",\"b\":"
                                    + document(random, 2)
                                    + (random.nextBoolean() ? ",\"c\":" + document(random, 2) : "")
                                    + "}")
                            .getBytes(StandardCharsets.UTF_8);
            JsonGate gate = JsonGate.of(permit, JsonRoom.ofGateway(work));
            gate.read(Unpooled.wrappedBuffer(body));
            byte[] kept = JsonGateTest.without(body, gate.finish());
            assertThat(tree(kept))
                    .as(new String(body, StandardCharsets.UTF_8))
                    .isEqualTo(removed(tree(body)));
            changed += kept.length < body.length ? 1 : 0;
        }
        assertThat(changed).isGreaterThan(1_000);
    }

    private static JsonNode tree(byte[] text) throws IOException {
        return JSON.readTree(text);
    }
}
