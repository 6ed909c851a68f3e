package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import graphql.language.ArrayValue;
import graphql.language.BooleanValue;
import graphql.language.EnumValue;
import graphql.language.IntValue;
import graphql.language.NullValue;
import graphql.language.ObjectField;
import graphql.language.ObjectValue;
import graphql.language.StringValue;
import graphql.language.Value;
import graphql.language.VariableDefinition;
import graphql.language.VariableReference;
import graphql.schema.GraphQLEnumType;
import graphql.schema.GraphQLInputObjectField;
import graphql.schema.GraphQLInputObjectType;
import graphql.schema.GraphQLList;
import graphql.schema.GraphQLNonNull;
import graphql.schema.GraphQLType;
import graphql.schema.GraphQLTypeUtil;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Values of a query as JSON, each of the type that the schema says for its place, with variables
/// put in. Written in the query or beside it, a value is the same afterwards.
final class Coercion {
    private final Map<String, JsonNode> variables = new HashMap<>();

    /// What a client sends beside the variables that it declares is ignored, as GitHub does.
    Coercion(List<VariableDefinition> declared, ObjectNode values) throws RefusedQueryException {
        for (VariableDefinition variable : declared) {
            Value<?> standard = variable.getDefaultValue();
            JsonNode value = values.get(variable.getName());
            if (value != null) {
                variables.put(variable.getName(), value);
            } else if (standard != null) {
                plain(standard).ifPresent(v -> variables.put(variable.getName(), v));
            }
        }
    }

    /// The value for one place; empty if there is none, which is not the same as null.
    Optional<JsonNode> value(GraphQLType type, Value<?> written, String place)
            throws RefusedQueryException {
        Optional<JsonNode> plain = plain(written);
        return plain.isEmpty() ? Optional.empty() : Optional.of(coerced(type, plain.get(), place));
    }

    /// A value as JSON, before anybody knows its type. The name of an enumeration's value becomes
    /// text, as it is beside a query.
    private Optional<JsonNode> plain(Value<?> written) throws RefusedQueryException {
        return switch (written) {
            case VariableReference variable ->
                    Optional.ofNullable(variables.get(variable.getName()));
            case NullValue _ -> Optional.of(Json.NODES.nullNode());
            case StringValue text -> Optional.of(Json.NODES.textNode(text.getValue()));
            case EnumValue name -> Optional.of(Json.NODES.textNode(name.getName()));
            case BooleanValue flag -> Optional.of(Json.NODES.booleanNode(flag.isValue()));
            case IntValue number -> Optional.of(Json.NODES.numberNode(number.getValue()));
            case ArrayValue list -> Optional.of(list(list));
            case ObjectValue object -> Optional.of(object(object));
            default ->
                    throw RefusedQueryException.malformed("a value has a form that is not taken");
        };
    }

    private ArrayNode list(ArrayValue written) throws RefusedQueryException {
        ArrayNode list = Json.NODES.arrayNode();
        for (Value<?> value : written.getValues()) {
            list.add(plain(value).orElse(Json.NODES.nullNode()));
        }
        return list;
    }

    private ObjectNode object(ObjectValue written) throws RefusedQueryException {
        ObjectNode object = Json.NODES.objectNode();
        for (ObjectField field : written.getObjectFields()) {
            Optional<JsonNode> value = plain(field.getValue());
            if (object.has(field.getName())) {
                throw RefusedQueryException.malformed("an input has a member twice");
            }
            value.ifPresent(v -> object.set(field.getName(), v));
        }
        return object;
    }

    private static JsonNode coerced(GraphQLType type, JsonNode value, String place)
            throws RefusedQueryException {
        if (type instanceof GraphQLNonNull present) {
            if (value.isNull()) {
                throw unfit(place);
            }
            return coerced(present.getWrappedType(), value, place);
        }
        if (value.isNull()) {
            return value;
        }
        return switch (type) {
            case GraphQLList list -> coercedList(list.getWrappedType(), value, place);
            case GraphQLInputObjectType input -> coercedObject(input, value, place);
            case GraphQLEnumType names -> named(names, value, place);
            default -> scalar(GraphQLTypeUtil.simplePrint(type), value, place);
        };
    }

    /// One value where a list is expected is a list of one.
    private static ArrayNode coercedList(GraphQLType element, JsonNode value, String place)
            throws RefusedQueryException {
        ArrayNode list = Json.NODES.arrayNode();
        if (!(value instanceof ArrayNode values)) {
            return list.add(coerced(element, value, place));
        }
        for (JsonNode one : values) {
            if (one.isArray()) {
                throw unfit(place);
            }
            list.add(coerced(element, one, place));
        }
        return list;
    }

    private static ObjectNode coercedObject(
            GraphQLInputObjectType type, JsonNode value, String place)
            throws RefusedQueryException {
        if (!(value instanceof ObjectNode members)) {
            throw unfit(place);
        }
        ObjectNode object = Json.NODES.objectNode();
        for (Map.Entry<String, JsonNode> member : members.properties()) {
            GraphQLInputObjectField field = type.getFieldDefinition(member.getKey());
            String inner = type.getName() + "." + member.getKey();
            if (field == null) {
                throw Expansion.unknown(member.getKey(), "input", type.getName());
            }
            object.set(member.getKey(), coerced(field.getType(), member.getValue(), inner));
        }
        for (GraphQLInputObjectField field : type.getFieldDefinitions()) {
            if (GraphQLTypeUtil.isNonNull(field.getType()) && !object.has(field.getName())) {
                throw RefusedQueryException.malformed(
                        "%s.%s is missing".formatted(type.getName(), field.getName()));
            }
        }
        return object;
    }

    private static JsonNode named(GraphQLEnumType type, JsonNode value, String place)
            throws RefusedQueryException {
        if (!value.isTextual()) {
            throw unfit(place);
        }
        if (type.getValue(value.textValue()) == null) {
            throw RefusedQueryException.unavailable(
                    "%s takes one of %s"
                            .formatted(
                                    place,
                                    type.getValues().stream().map(v -> v.getName()).toList()));
        }
        return value;
    }

    private static JsonNode scalar(String type, JsonNode value, String place)
            throws RefusedQueryException {
        boolean whole = value.isIntegralNumber();
        boolean fits =
                switch (type) {
                    case "Int" -> whole && value.canConvertToInt();
                    case "Boolean" -> value.isBoolean();
                    case "ID" -> whole || isReadable(value);
                    default -> isReadable(value);
                };
        if (!fits) {
            throw unfit(place);
        }
        return switch (type) {
            case "Int" -> Json.NODES.numberNode(value.intValue());
            case "ID" -> Json.NODES.textNode(value.asText());
            default -> value;
        };
    }

    /// Text without control characters but those of ordinary text, and without halves of
    /// characters: what is judged here must be what others read.
    private static boolean isReadable(JsonNode value) {
        return value.isTextual()
                && value.textValue()
                        .codePoints()
                        .allMatch(c -> c == '\n' || c == '\r' || c == '\t' || isPrintable(c));
    }

    private static boolean isPrintable(int c) {
        return !Character.isISOControl(c) && Character.getType(c) != Character.SURROGATE;
    }

    private static RefusedQueryException unfit(String place) {
        return RefusedQueryException.malformed("%s has a value of another type".formatted(place));
    }
}
