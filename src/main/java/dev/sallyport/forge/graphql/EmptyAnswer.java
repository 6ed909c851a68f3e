package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import graphql.schema.GraphQLTypeUtil;

/// What a field says when there is nothing: no object, no elements, none counted.
final class EmptyAnswer {
    private EmptyAnswer() {}

    static JsonNode of(Pick pick, GithubSchema schema) {
        var type = pick.field().getType();
        var present = GraphQLTypeUtil.unwrapNonNull(type);
        String name = GraphQLTypeUtil.simplePrint(present);
        if (GraphQLTypeUtil.isList(present)) {
            return Json.NODES.arrayNode();
        }
        if (!GraphQLTypeUtil.isNonNull(type) && !name.endsWith("Connection")) {
            return Json.NODES.nullNode();
        }
        return pick.below()
                .<JsonNode>map(below -> object(below, schema))
                .orElseGet(() -> leaf(name));
    }

    private static ObjectNode object(Picks picks, GithubSchema schema) {
        ObjectNode object = Json.NODES.objectNode();
        for (Pick pick : picks.always()) {
            object.set(
                    pick.key(),
                    pick.name().equals("__typename")
                            ? Json.NODES.textNode(schema.nameOf(picks.type()))
                            : of(pick, schema));
        }
        return object;
    }

    private static JsonNode leaf(String type) {
        return switch (type) {
            case "Int" -> Json.NODES.numberNode(0);
            case "Boolean" -> Json.NODES.booleanNode(false);
            default -> Json.NODES.textNode("");
        };
    }
}
