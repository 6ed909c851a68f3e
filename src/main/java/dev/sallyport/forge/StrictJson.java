package dev.sallyport.forge;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// The body of a write: one object in UTF-8, without repeated members, of bounded size and depth,
/// and nothing behind it. What two readers could read in two ways is refused.
final class StrictJson {
    private static final int DEPTH_MAX = 6;
    private static final int NUMBER_CHARACTERS_MAX = 18;
    private static final int NAME_CHARACTERS_MAX = 64;

    private static final JsonMapper JSON =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(DEPTH_MAX)
                                                    .maxNumberLength(NUMBER_CHARACTERS_MAX)
                                                    .maxStringLength(
                                                            Limits.Api.REQUEST_BYTES_HIGHEST)
                                                    .maxNameLength(NAME_CHARACTERS_MAX)
                                                    .build())
                                    .build())
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private StrictJson() {}

    static ObjectNode object(byte[] body) throws ObjectionException {
        if (body.length > Limits.Api.REQUEST_BYTES_HIGHEST) {
            throw new ObjectionException(Refusal.BODY_TOO_LARGE, Refusal.BODY_TOO_LARGE.sentence());
        }
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
            JsonNode tree = JSON.readTree(text);
            if (tree instanceof ObjectNode object) {
                return object;
            }
        } catch (CharacterCodingException | JsonProcessingException _) {
            // Said below: the parser's words would repeat the sandbox's.
        }
        throw new ObjectionException(
                Refusal.MALFORMED_BODY,
                "the body is not one JSON object in UTF-8 without repeated members");
    }

    static ObjectNode empty() {
        return JSON.createObjectNode();
    }

    static byte[] bytes(JsonNode node) {
        try {
            return JSON.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new AssertionError("what was judged cannot be written", e);
        }
    }
}
