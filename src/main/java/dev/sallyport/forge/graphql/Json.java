package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// JSON in one reading: UTF-8, no member twice, nothing behind the document, bounded depth.
final class Json {
    /// An answer is at most as deep as a query ([Expansion#DEPTH_MAX_LEVELS]) with a list at each
    /// level.
    private static final int DEPTH_MAX_LEVELS = 64;

    static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final ObjectMapper MAPPER =
            new ObjectMapper(
                            JsonFactory.builder()
                                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(DEPTH_MAX_LEVELS)
                                                    .build())
                                    .build())
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Json() {}

    /// The document, if it is one and an object.
    static Optional<ObjectNode> object(byte[] bytes) {
        try {
            // Jackson would guess UTF-16 and others from the first bytes.
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            JsonNode read = MAPPER.readTree(text);
            return read instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
        } catch (CharacterCodingException | JsonProcessingException _) {
            return Optional.empty();
        }
    }

    static byte[] bytes(JsonNode node) {
        try {
            return MAPPER.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of values can be written", e);
        }
    }
}
