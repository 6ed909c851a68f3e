package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.ApiOperation;
import graphql.schema.GraphQLCompositeType;
import graphql.schema.GraphQLObjectType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Shapes the objects of one answer, and tells the learner what they prove.
final class ObjectShaping {
    private final GithubSchema schema;
    private final Owners owners;
    private final Shaping.Learner learner;

    ObjectShaping(GithubSchema schema, Rights rights, Shaping.Learner learner) {
        this.schema = schema;
        this.owners = new Owners(rights, learner);
        this.learner = learner;
    }

    /// Where a root field's answer begins.
    Place within(List<RepositoryView> scope) {
        return new Place(scope, false, ApiOperation.REPOSITORY_READ);
    }

    /// Where in an answer we are.
    final class Place {
        private final List<RepositoryView> scope;
        private final boolean outside;
        private final ApiOperation operation;

        /// @param scope the repositories that objects here must belong to
        /// @param outside whether this is beyond an edge that may leave them; then any repository
        ///   will do in which the operation is granted
        private Place(List<RepositoryView> scope, boolean outside, ApiOperation operation) {
            this.scope = scope;
            this.outside = outside;
            this.operation = operation;
        }

        /// What a search found, before anything of it is used: one foreign object means that the
        /// search was understood differently upstream.
        boolean holdsAll(JsonNode found) {
            return found.isArray()
                    && found.valueStream().allMatch(node -> owner("Issue", node).isPresent());
        }

        /// Empty if the value belongs to a repository that is not granted.
        Optional<JsonNode> shape(Pick pick, JsonNode value) throws RefusedAnswerException {
            if (schema.isWithheld(pick.field())) {
                return Optional.of(EmptyAnswer.of(pick, schema));
            }
            if (value.isNull() || value.isMissingNode()) {
                return Optional.of(Json.NODES.nullNode());
            }
            if (pick.below().isEmpty()) {
                return Optional.of(leaf(value));
            }
            Picks below = pick.below().get();
            Place inner = schema.isNarrow(pick.field()) ? new Place(scope, true, operation) : this;
            return value instanceof ArrayNode list
                    ? Optional.of(inner.list(below, list))
                    : inner.object(below, value);
        }

        /// Without the elements that are foreign.
        private ArrayNode list(Picks picks, ArrayNode values) throws RefusedAnswerException {
            ArrayNode list = Json.NODES.arrayNode();
            for (JsonNode value : values) {
                if (value.isNull()) {
                    list.addNull();
                } else {
                    object(picks, value).ifPresent(list::add);
                }
            }
            return list;
        }

        private Optional<JsonNode> object(Picks picks, JsonNode value)
                throws RefusedAnswerException {
            if (!(value instanceof ObjectNode node)) {
                throw new RefusedAnswerException("there should be an object");
            }
            Optional<GraphQLObjectType> type = typeOf(picks.type(), node);
            String name = type.map(schema::nameOf).orElse("");
            boolean checked =
                    schema.possible(picks.type()).stream()
                            .anyMatch(member -> Marks.isOwned(schema.nameOf(member)));
            Place here = at(type.map(GraphQLCompositeType.class::cast).orElse(picks.type()));
            Optional<RepositoryView> owner = checked ? here.owner(name, node) : Optional.empty();
            if (checked && owner.isEmpty()) {
                return Optional.empty();
            }
            List<Pick> wanted = new ArrayList<>(picks.always());
            type.map(t -> picks.cases().get(t.getName()))
                    .ifPresent(member -> wanted.addAll(member.always()));
            Optional<JsonNode> shaped = here.fields(wanted, node, name);
            shaped.ifPresent(_ -> learn(name, wanted, node, owner));
            return shaped;
        }

        private Optional<JsonNode> fields(List<Pick> wanted, ObjectNode node, String type)
                throws RefusedAnswerException {
            ObjectNode shaped = Json.NODES.objectNode();
            for (Pick pick : wanted) {
                Optional<JsonNode> value = shape(pick, node.path(pick.key()));
                if (value.isEmpty() && type.endsWith("Edge")) {
                    return Optional.empty();
                }
                shaped.set(pick.key(), value.orElse(Json.NODES.nullNode()));
            }
            return Optional.of(shaped);
        }

        private Place at(GraphQLCompositeType type) {
            return schema.allow(type)
                    .map(allowed -> new Place(scope, outside, allowed))
                    .orElse(this);
        }

        private Optional<RepositoryView> owner(String type, JsonNode node) {
            if (!Marks.isOwned(type)) {
                return Optional.empty();
            }
            JsonNode says = type.equals("Repository") ? node : node.path(Marks.REPOSITORY);
            return outside ? owners.granted(says, operation) : owners.among(scope, says);
        }
    }

    /// Of which type an object is; empty if that is none that we know.
    private Optional<GraphQLObjectType> typeOf(GraphQLCompositeType type, ObjectNode node) {
        if (type instanceof GraphQLObjectType object) {
            return Optional.of(object);
        }
        String says = node.path(Marks.TYPE).asText();
        return schema.possible(type).stream()
                .filter(member -> schema.nameOf(member).equals(says))
                .findFirst();
    }

    private static JsonNode leaf(JsonNode value) throws RefusedAnswerException {
        boolean plain =
                value.isValueNode()
                        || (value.isArray() && value.valueStream().allMatch(JsonNode::isValueNode));
        if (!plain) {
            throw new RefusedAnswerException("there should be a value");
        }
        return value;
    }

    private void learn(
            String type, List<Pick> wanted, ObjectNode node, Optional<RepositoryView> owner) {
        Optional<Placed> placed = placed(type, node, owner);
        wanted.stream()
                .filter(pick -> pick.name().equals("id"))
                .map(pick -> node.path(pick.key()))
                .filter(JsonNode::isTextual)
                .forEach(id -> placed.ifPresent(p -> learner.placed(id.textValue(), p)));
    }

    private Optional<Placed> placed(String type, ObjectNode node, Optional<RepositoryView> owner) {
        if (node.path(Marks.LOGIN).isTextual()) {
            return Optional.of(new Placed.Person(node.path(Marks.LOGIN).textValue()));
        }
        return owner.flatMap(view -> owners.placed(type, view, node));
    }
}
