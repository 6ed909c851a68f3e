package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.relay.StrictJson;
import java.util.Optional;

/// JSON in one reading: UTF-8, no member twice, nothing behind the document, bounded depth.
final class Json {
    /// An answer is at most as deep as a query ([Expansion#DEPTH_MAX_LEVELS]) with a list at each
    /// level.
    private static final int DEPTH_MAX_LEVELS = 64;

    static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final StrictJson JSON =
            new StrictJson(
                    StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX_LEVELS).build());

    private Json() {}

    /// The document, if it is one and an object.
    static Optional<ObjectNode> object(byte[] bytes) {
        return JSON.read(bytes);
    }

    static byte[] bytes(JsonNode node) {
        return JSON.bytes(node);
    }
}
