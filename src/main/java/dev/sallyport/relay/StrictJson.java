package dev.sallyport.relay;

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

/// JSON that is judged: one object in UTF-8, without repeated members, within limits, and nothing
/// behind it. What two readers could read in two ways is not read.
public final class StrictJson {
    private final JsonMapper json;

    public StrictJson(StreamReadConstraints limits) {
        this.json =
                JsonMapper.builder(
                                JsonFactory.builder()
                                        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                        .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                                        .streamReadConstraints(limits)
                                        .build())
                        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                        .build();
    }

    /// Empty when it is anything else. Why is not said: the parser's words would repeat those of
    /// whoever sent it.
    public Optional<ObjectNode> read(byte[] body) {
        return readValue(body).filter(ObjectNode.class::isInstance).map(ObjectNode.class::cast);
    }

    /// As [#read], for an array as well, and for a value that is neither.
    public Optional<JsonNode> readValue(byte[] body) {
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
            return Optional.of(json.readTree(text)).filter(node -> !node.isMissingNode());
        } catch (CharacterCodingException | JsonProcessingException _) {
            return Optional.empty();
        }
    }

    /// Without members.
    public ObjectNode object() {
        return json.createObjectNode();
    }

    public byte[] bytes(JsonNode node) {
        try {
            return json.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new AssertionError("what was judged cannot be written", e);
        }
    }
}
