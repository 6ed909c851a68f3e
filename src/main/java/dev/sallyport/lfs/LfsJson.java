package dev.sallyport.lfs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// JSON of the LFS API: one object in UTF-8, without repeated members, of bounded depth, and
/// nothing behind it. What two readers could read in two ways is not read.
final class LfsJson {
    static final String TYPE = "application/vnd.git-lfs+json";

    private static final int DEPTH_MAX = 8;
    private static final int NUMBER_CHARACTERS_MAX = 19;
    private static final int NAME_CHARACTERS_MAX = 128;
    private static final int STRING_CHARACTERS_MAX = 16 << 10;

    /// Above what 1,000 objects with their actions, or 10,000 locks, need.
    private static final int TOKENS_MAX = 200_000;

    private static final JsonMapper JSON =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(DEPTH_MAX)
                                                    .maxNumberLength(NUMBER_CHARACTERS_MAX)
                                                    .maxStringLength(STRING_CHARACTERS_MAX)
                                                    .maxNameLength(NAME_CHARACTERS_MAX)
                                                    .maxTokenCount(TOKENS_MAX)
                                                    .build())
                                    .build())
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private LfsJson() {}

    static Optional<ObjectNode> read(byte[] body) {
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
            return JSON.readTree(text) instanceof ObjectNode object
                    ? Optional.of(object)
                    : Optional.empty();
        } catch (CharacterCodingException | JsonProcessingException _) {
            return Optional.empty();
        }
    }

    static ObjectNode object() {
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
