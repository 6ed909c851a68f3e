package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import graphql.schema.GraphQLFieldDefinition;
import java.util.Map;
import java.util.Optional;

/// One field of a query, with its values in place.
///
/// @param key its name in the answer
/// @param arguments each of the type that the schema says
/// @param below what is selected from it; empty for a leaf
record Pick(
        String key,
        GraphQLFieldDefinition field,
        Map<String, JsonNode> arguments,
        Optional<Picks> below) {
    String name() {
        return field.getName();
    }

    /// The value of an argument that the schema requires.
    JsonNode argument(String argument) {
        return Optional.ofNullable(arguments.get(argument)).orElseThrow();
    }

    Pick with(Map<String, JsonNode> others) {
        return new Pick(key, field, others, below);
    }

    Pick with(Picks others) {
        return new Pick(key, field, arguments, Optional.of(others));
    }
}
