package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Who answers each field of a query's root, in the order of the query.
///
/// @param roots by their name in the answer
record Plan(Map<String, Root> roots) {
    Plan {
        roots = new LinkedHashMap<>(roots);
    }

    /// The fields that are sent, as they are sent.
    List<There> sent() {
        return roots.values().stream()
                .filter(There.class::isInstance)
                .map(There.class::cast)
                .toList();
    }

    sealed interface Root {}

    /// The gateway answers.
    record Here(JsonNode value, Optional<ObjectNode> error) implements Root {
        static Here of(JsonNode value) {
            return new Here(value, Optional.empty());
        }

        /// The same for what is not granted and for what does not exist.
        static Here notFound(String key, String sentence) {
            return new Here(Json.NODES.nullNode(), Optional.of(error(key, sentence)));
        }

        static ObjectNode error(String key, String sentence) {
            ObjectNode error = Json.NODES.objectNode();
            error.put("type", "NOT_FOUND");
            error.putArray("path").add(key);
            error.put("message", sentence);
            return error;
        }
    }

    /// Upstream answers.
    ///
    /// @param scope the repositories that the answer may be about
    /// @param places for `nodes`: which of the ids were sent, by their place in the query
    record There(Pick pick, List<RepositoryView> scope, List<Integer> places) implements Root {
        There(Pick pick, List<RepositoryView> scope) {
            this(pick, scope, List.of());
        }
    }
}
