package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The gateway's own question where ids lie, and the reading of its answer (G23). It asks for facts
/// only: whose an object is, and where the branch of a pull request is.
public final class PlacingQuestion {
    private static final String QUERY =
            """
            query($ids: [ID!]!) { nodes(ids: $ids) { %s: __typename \
            ... on Repository { %s } \
            ... on Issue { %s } \
            ... on PullRequest { %s } \
            ... on PullRequestReviewThread { %s: pullRequest { %s } } \
            ... on User { %s: login } \
            ... on Bot { %s: login } \
            ... on Team { %s: combinedSlug } } }"""
                    .formatted(
                            Marks.TYPE,
                            Marks.WHOLE,
                            Marks.OWNED,
                            Marks.PULL_REQUEST,
                            Marks.PULL,
                            Marks.PULL_REQUEST,
                            Marks.LOGIN,
                            Marks.LOGIN,
                            Marks.LOGIN);

    private static final Shaping.Learner NOBODY = new Shaping.Learner() {};

    private PlacingQuestion() {}

    /// A body to be sent as the gateway's own.
    public static byte[] body(Set<String> nodeIds) {
        ObjectNode body = Json.NODES.objectNode();
        body.put("query", QUERY);
        var ids = body.putObject("variables").putArray("ids");
        nodeIds.stream().sorted().forEach(ids::add);
        return Json.JSON.bytes(body);
    }

    /// Says for each id where it lies. Ids that lead nowhere, into a repository that is not granted
    /// or to something of another type are all [Placed.Elsewhere].
    public static Map<String, Placed> read(byte[] answer, Set<String> nodeIds, Rights rights)
            throws RefusedAnswerException {
        JsonNode nodes = AnswerShaping.read(answer).path("data").path("nodes");
        List<String> asked = nodeIds.stream().sorted().toList();
        if (!nodes.isArray() || nodes.size() != asked.size()) {
            throw new RefusedAnswerException("there should be a node for each id");
        }
        Owners owners = new Owners(rights, NOBODY);
        Map<String, Placed> placed = new HashMap<>();
        for (int i = 0; i < asked.size(); i++) {
            placed.put(asked.get(i), place(nodes.get(i), owners));
        }
        return placed;
    }

    private static Placed place(JsonNode node, Owners owners) {
        String type = node.path(Marks.TYPE).asText("");
        Optional<Placed> placed =
                switch (type) {
                    case "Repository" ->
                            owners.named(node).flatMap(view -> owners.placed(type, view, node));
                    case "Issue", "PullRequest" ->
                            owners.named(node.path(Marks.REPOSITORY))
                                    .flatMap(view -> owners.placed(type, view, node));
                    case "PullRequestReviewThread" -> thread(node.path(Marks.PULL), owners);
                    case "User", "Bot" -> login(node).map(Placed.Person::new);
                    case "Team" -> login(node).map(Placed.Team::new);
                    default -> Optional.empty();
                };
        return placed.orElse(new Placed.Elsewhere());
    }

    private static Optional<Placed> thread(JsonNode pull, Owners owners) {
        return owners.named(pull.path(Marks.REPOSITORY))
                .flatMap(view -> owners.pull(view, pull))
                .map(Placed.Discussion::new);
    }

    private static Optional<String> login(JsonNode node) {
        return Optional.ofNullable(node.path(Marks.LOGIN).textValue());
    }
}
