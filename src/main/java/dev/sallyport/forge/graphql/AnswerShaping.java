package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;

/// Builds the client's answer from upstream's, field by field as the query was judged: what nobody
/// asked for is not copied, and what does not belong to a granted repository is left out.
final class AnswerShaping implements Shaping {
    private static final int ANSWER_MAX_BYTES = 16 * 1024 * 1024;
    private static final int ERRORS_MAX = 50;
    private static final int MESSAGE_MAX_CHARS = 1_000;
    private static final int TYPE_MAX_CHARS = 64;

    private final Plan plan;
    private final GithubSchema schema;
    private final Rights rights;

    AnswerShaping(Plan plan, GithubSchema schema, Rights rights) {
        this.plan = plan;
        this.schema = schema;
        this.rights = rights;
    }

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
                        ? roots(object, new ObjectShaping(schema, rights, learner), errors)
                        : Json.NODES.nullNode());
        if (!errors.isEmpty()) {
            shaped.set("errors", errors);
        }
        return Json.bytes(shaped);
    }

    static ObjectNode read(byte[] answer) throws RefusedAnswerException {
        if (answer.length > ANSWER_MAX_BYTES) {
            throw new RefusedAnswerException("the answer is too large");
        }
        return Json.object(answer)
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
}
