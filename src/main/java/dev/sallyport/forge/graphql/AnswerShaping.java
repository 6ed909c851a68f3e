package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.ApiOperation;
import graphql.schema.GraphQLCompositeType;
import graphql.schema.GraphQLObjectType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Builds the client's answer from upstream's, field by field as the query was judged: what nobody
/// asked for is not copied, and what does not belong to a granted repository is left out.
record AnswerShaping(Plan plan, GithubSchema schema, Rights rights) implements Shaping {
    private static final int ANSWER_MAX_BYTES = 16 * 1024 * 1024;
    private static final int ERRORS_MAX = 50;
    private static final int MESSAGE_MAX_CHARS = 1_000;
    private static final int TYPE_MAX_CHARS = 64;

    @Override
    public byte[] apply(byte[] answer, Learner learner) throws RefusedAnswerException {
        ObjectNode read = read(answer);
        ArrayNode errors = errors(read.path("errors"));
        JsonNode data = read.path("data");
        if (!data.isObject() && errors.isEmpty()) {
            throw new RefusedAnswerException("an answer has data or errors");
        }
        ObjectNode shaped = Json.NODES.objectNode();
        shaped.set(
                "data",
                data instanceof ObjectNode object
                        ? roots(
                                object,
                                new ObjectShaping(schema, new Owners(rights, learner), learner),
                                errors)
                        : Json.NODES.nullNode());
        if (!errors.isEmpty()) {
            shaped.set("errors", errors);
        }
        return Json.JSON.bytes(shaped);
    }

    static ObjectNode read(byte[] answer) throws RefusedAnswerException {
        if (answer.length > ANSWER_MAX_BYTES) {
            throw new RefusedAnswerException("the answer is too large");
        }
        return Json.JSON
                .read(answer)
                .orElseThrow(() -> new RefusedAnswerException("the answer is no JSON object"));
    }

    /// The answer where upstream is not asked at all.
    ObjectNode alone() {
        ObjectNode answer = Json.NODES.objectNode();
        ObjectNode data = answer.putObject("data");
        ArrayNode errors = Json.NODES.arrayNode();
        plan.roots().forEach((key, root) -> here((Plan.Here) root, key, data, errors));
        if (!errors.isEmpty()) {
            answer.set("errors", errors);
        }
        return answer;
    }

    private static void here(Plan.Here root, String key, ObjectNode data, ArrayNode errors) {
        data.set(key, root.value());
        root.error().ifPresent(errors::add);
    }

    private ObjectNode roots(ObjectNode data, ObjectShaping shaping, ArrayNode errors)
            throws RefusedAnswerException {
        ObjectNode shaped = Json.NODES.objectNode();
        for (Map.Entry<String, Plan.Root> root : plan.roots().entrySet()) {
            String key = root.getKey();
            switch (root.getValue()) {
                case Plan.Here here -> here(here, key, shaped, errors);
                case Plan.There there -> {
                    Optional<JsonNode> value = there(there, data.path(key), shaping);
                    if (value.isEmpty()) {
                        errors.add(Plan.Here.error(key, missing(there)));
                    }
                    shaped.set(key, value.orElse(Json.NODES.nullNode()));
                }
            }
        }
        return shaped;
    }

    /// Empty for an answer about something else than was asked: as if that did not exist.
    private Optional<JsonNode> there(Plan.There root, JsonNode value, ObjectShaping shaping)
            throws RefusedAnswerException {
        ObjectShaping.Place place = shaping.within(root.scope());
        return switch (root.pick().name()) {
            case "nodes" -> Optional.of(nodes(root, value, place));
            case "search" -> {
                boolean sound = place.holdsAll(value.path(Marks.FOUND));
                yield Optional.of(
                        sound
                                ? place.shape(root.pick(), value).orElseThrow()
                                : EmptyAnswer.of(root.pick(), schema));
            }
            default -> place.shape(root.pick(), value);
        };
    }

    /// Each answer at the place of its id; the ids that were not sent have none.
    private static ArrayNode nodes(Plan.There root, JsonNode value, ObjectShaping.Place place)
            throws RefusedAnswerException {
        ArrayNode nodes = Json.NODES.arrayNode();
        int next = 0;
        for (int asked : root.places()) {
            JsonNode node = asked < 0 ? Json.NODES.nullNode() : value.path(next++);
            nodes.add(place.shape(root.pick(), node).orElse(Json.NODES.nullNode()));
        }
        return nodes;
    }

    private static String missing(Plan.There root) {
        return root.pick().name().equals("repository")
                ? QueryRoots.noRepository(root.scope().getFirst().nameWithOwner())
                : QueryRoots.noNode("");
    }

    /// Errors in upstream's words, without what is about our own fields.
    private static ArrayNode errors(JsonNode errors) {
        ArrayNode shaped = Json.NODES.arrayNode();
        for (JsonNode error : errors) {
            boolean ours =
                    error.path("path")
                            .valueStream()
                            .anyMatch(step -> step.asText().startsWith(Expansion.OURS));
            if (!ours && shaped.size() < ERRORS_MAX) {
                shaped.add(error(error));
            }
        }
        return shaped;
    }

    private static ObjectNode error(JsonNode error) {
        ObjectNode shaped = Json.NODES.objectNode();
        if (error.path("type").isTextual()) {
            shaped.put("type", cut(error.path("type").textValue(), TYPE_MAX_CHARS));
        }
        ArrayNode path = Json.NODES.arrayNode();
        error.path("path").valueStream().filter(JsonNode::isValueNode).forEach(path::add);
        if (!path.isEmpty()) {
            shaped.set("path", path);
        }
        return shaped.put("message", cut(error.path("message").asText(""), MESSAGE_MAX_CHARS));
    }

    private static String cut(String text, int chars) {
        return text.length() <= chars ? text : text.substring(0, chars);
    }

    /// Shapes the objects of one answer, and tells the learner what they prove.
    record ObjectShaping(GithubSchema schema, Owners owners, Shaping.Learner learner) {
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
            /// @param outside whether this is beyond an edge that may leave them; then any
            ///   repository will do in which the operation is granted
            private Place(List<RepositoryView> scope, boolean outside, ApiOperation operation) {
                this.scope = scope;
                this.outside = outside;
                this.operation = operation;
            }

            /// What a search found, before anything of it is used: one foreign object means that
            /// the search was understood differently upstream.
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
                Place inner =
                        schema.isNarrow(pick.field()) ? new Place(scope, true, operation) : this;
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
                Optional<RepositoryView> owner =
                        checked ? here.owner(name, node) : Optional.empty();
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
                            || (value.isArray()
                                    && value.valueStream().allMatch(JsonNode::isValueNode));
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

        private Optional<Placed> placed(
                String type, ObjectNode node, Optional<RepositoryView> owner) {
            if (node.path(Marks.LOGIN).isTextual()) {
                return Optional.of(new Placed.Person(node.path(Marks.LOGIN).textValue()));
            }
            return owner.flatMap(view -> owners.placed(type, view, node));
        }
    }
}
