package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sallyport.relay.StrictJson;

/// JSON in one reading: UTF-8, no member twice, nothing behind the document, bounded depth.
final class Json {
    /// An answer is at most as deep as a query ([Expansion#DEPTH_MAX_LEVELS]) with a list at each
    /// level.
    private static final int DEPTH_MAX_LEVELS = 64;

    static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    static final StrictJson JSON =
            new StrictJson(
                    StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX_LEVELS).build());

    private Json() {}
}
