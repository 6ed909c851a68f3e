package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.policy.ApiOperation;
import java.util.List;
import java.util.Optional;

/// Which granted repository upstream speaks of, by the [Marks] in an answer.
record Owners(Rights rights, Shaping.Learner learner) {
    /// The repository that these marks name, if it is granted as things stand now.
    Optional<RepositoryView> named(JsonNode marks) {
        String[] name = marks.path(Marks.NAME).asText("").split("/", -1);
        JsonNode number = marks.path(Marks.NUMBER);
        if (name.length != 2 || !number.isIntegralNumber()) {
            return Optional.empty();
        }
        Optional<RepositoryView> view =
                rights.repository(name[0], name[1])
                        .filter(v -> v.is(name[0] + "/" + name[1], number.longValue()));
        view.filter(v -> v.databaseId().isEmpty())
                .ifPresent(v -> learner.numbered(v, number.longValue()));
        return view;
    }

    Optional<RepositoryView> among(List<RepositoryView> scope, JsonNode marks) {
        return named(marks)
                .filter(view -> scope.stream().anyMatch(v -> v.name().equals(view.name())));
    }

    Optional<RepositoryView> granted(JsonNode marks, ApiOperation operation) {
        return named(marks).filter(view -> rights.allows(view, operation));
    }

    /// What the id of such an object stands for.
    Optional<Placed> placed(String type, RepositoryView view, JsonNode node) {
        return switch (type) {
            case "Repository" -> Optional.of(new Placed.Repository(view));
            case "Issue" -> Optional.of(new Placed.Issue(view));
            case "PullRequest" -> pull(view, node).map(pull -> pull);
            default -> Optional.empty();
        };
    }

    Optional<Placed.PullRequest> pull(RepositoryView view, JsonNode node) {
        JsonNode head = node.path(Marks.HEAD);
        return head.isTextual()
                ? Optional.of(
                        new Placed.PullRequest(
                                view, named(node.path(Marks.FROM)), head.textValue()))
                : Optional.empty();
    }
}
