package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.ApiOperation;
import graphql.ExecutionInput;
import graphql.ExecutionResult;
import graphql.GraphQL;
import graphql.language.OperationDefinition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The fields of a query's root: each is one door into the graph, and there are no others. A
/// repository that is not granted is never sent, and answered like one that does not exist.
final class QueryRoots {
    private static final int TYPE_QUESTIONS_MAX = 8;
    private final Judging judging;
    private final GithubSchema schema;
    private int typeQuestions;

    QueryRoots(Judging judging) {
        this.judging = judging;
        this.schema = judging.schema();
    }

    Plan.Root root(Pick pick) throws RefusedQueryException {
        if (schema.isWithheld(pick.field())) {
            return Plan.Here.of(EmptyAnswer.of(pick, schema));
        }
        return switch (pick.name()) {
            case "__typename" -> Plan.Here.of(Json.NODES.textNode("Query"));
            case "__schema", "__type" -> aboutTypes(pick);
            case "viewer" -> Plan.Here.of(viewer(below(pick)));
            case "repository" -> repository(pick);
            case "node" -> node(pick);
            case "nodes" -> nodes(pick);
            case "search" -> search(pick);
            case "user", "rateLimit" -> new Plan.There(pick, List.of());
            default -> throw RefusedQueryException.notAllowed(pick.name() + " is not available");
        };
    }

    private Plan.Root aboutTypes(Pick pick) throws RefusedQueryException {
        if (++typeQuestions > TYPE_QUESTIONS_MAX) {
            throw RefusedQueryException.malformed(
                    "at most %d questions about the schema at once".formatted(TYPE_QUESTIONS_MAX));
        }
        return Plan.Here.of(IntrospectionAnswer.of(pick, schema));
    }

    private static Picks below(Pick pick) {
        return pick.below().orElseThrow();
    }

    private static String text(Pick pick, String argument) {
        return pick.argument(argument).textValue();
    }

    /// Known to the session; the credential's owner is nobody's business.
    private ObjectNode viewer(Picks picks) {
        ObjectNode viewer = Json.NODES.objectNode();
        for (Pick pick : picks.always()) {
            viewer.put(pick.key(), pick.name().equals("login") ? judging.rights().login() : "User");
        }
        return viewer;
    }

    private Plan.Root repository(Pick pick) throws RefusedQueryException {
        String owner = text(pick, "owner");
        String name = text(pick, "name");
        Optional<RepositoryView> found = judging.rights().repository(owner, name);
        if (found.isEmpty()) {
            judging.withhold(owner + "/" + name);
            return Plan.Here.notFound(pick.key(), noRepository(owner + "/" + name));
        }
        List<RepositoryView> scope = List.of(found.get());
        judging.read(below(pick), scope, ApiOperation.REPOSITORY_READ);
        Map<String, JsonNode> arguments = new LinkedHashMap<>();
        arguments.put("owner", Json.NODES.textNode(found.get().name().owner()));
        arguments.put("name", Json.NODES.textNode(found.get().name().name()));
        arguments.put("followRenames", Json.NODES.booleanNode(false));
        return new Plan.There(pick.with(arguments), scope);
    }

    /// In GitHub's words, so that clients take it for an answer of GitHub's.
    static String noRepository(String nameWithOwner) {
        return "Could not resolve to a Repository with the name '%s'.".formatted(nameWithOwner);
    }

    static String noNode(String id) {
        return "Could not resolve to a node with the global id of '%s'".formatted(id);
    }

    private Plan.Root node(Pick pick) throws RefusedQueryException {
        JsonNode id = pick.argument("id");
        Optional<Placed> placed = judging.place(id);
        Optional<Found> found = placed.flatMap(this::found);
        if (placed.isPresent() && found.isEmpty()) {
            judging.withhold(id.textValue());
            return Plan.Here.notFound(pick.key(), noNode(id.textValue()));
        }
        if (found.isEmpty()) {
            return new Plan.There(pick, List.of());
        }
        List<RepositoryView> scope = List.of(found.get().repository());
        Picks only = below(pick).onlyFor(found.get().type());
        judging.read(only, scope, found.get().operation());
        return new Plan.There(pick.with(only), scope);
    }

    private Plan.Root nodes(Pick pick) throws RefusedQueryException {
        ArrayNode sent = Json.NODES.arrayNode();
        List<Integer> places = new ArrayList<>();
        Set<RepositoryView> scope = new LinkedHashSet<>();
        JsonNode ids = pick.argument("ids");
        for (int i = 0; i < ids.size(); i++) {
            Optional<Found> found = judging.place(ids.get(i)).flatMap(this::found);
            if (found.isPresent()) {
                sent.add(ids.get(i));
                places.add(i);
                scope.add(found.get().repository());
            } else {
                judging.withhold(ids.get(i).textValue());
                places.add(-1);
            }
        }
        List<RepositoryView> repositories = List.copyOf(scope);
        if (!sent.isEmpty()) {
            judging.read(below(pick), repositories, ApiOperation.REPOSITORY_READ);
            return new Plan.There(pick.with(Map.of("ids", sent)), repositories, places);
        }
        ArrayNode none = Json.NODES.arrayNode();
        places.forEach(_ -> none.addNull());
        return Plan.Here.of(none);
    }

    /// What a node that may be read is.
    private record Found(String type, RepositoryView repository, ApiOperation operation) {}

    private Optional<Found> found(Placed placed) {
        return candidate(placed).filter(found -> judging.isGranted(found.repository()));
    }

    private static Optional<Found> candidate(Placed placed) {
        return switch (placed) {
            case Placed.Repository(var repository) ->
                    Optional.of(new Found("Repository", repository, ApiOperation.REPOSITORY_READ));
            case Placed.PullRequest pull ->
                    Optional.of(
                            new Found("PullRequest", pull.repository(), ApiOperation.PULL_READ));
            case Placed.Issue(var repository) ->
                    Optional.of(new Found("Issue", repository, ApiOperation.ISSUE_READ));
            case Placed.Discussion _, Placed.Person _, Placed.Team _, Placed.Elsewhere _ ->
                    Optional.empty();
        };
    }

    private Plan.Root search(Pick pick) throws RefusedQueryException {
        SearchText search = SearchText.parse(text(pick, "query"), judging.rights());
        search.foreign().forEach(judging::withhold);
        if (search.repositories().isEmpty()) {
            return Plan.Here.of(EmptyAnswer.of(pick, schema));
        }
        judging.read(below(pick), search.repositories(), ApiOperation.REPOSITORY_READ);
        Map<String, JsonNode> arguments = new LinkedHashMap<>(pick.arguments());
        arguments.put("query", Json.NODES.textNode(search.text()));
        return new Plan.There(pick.with(arguments), search.repositories());
    }

    /// Questions about the schema, answered from ours: clients look for features there, find none
    /// and take their simple ways. Nothing of it is sent, because an answer that a client keeps for
    /// a day must fit to what is served here.
    private static final class IntrospectionAnswer {
        private static final ObjectMapper MAPPER = new ObjectMapper();
        private static final OperationDefinition QUERY =
                OperationDefinition.newOperationDefinition()
                        .operation(OperationDefinition.Operation.QUERY)
                        .build();

        /// Each field by itself: the library takes a document with more than one for an attack.
        static JsonNode of(Pick pick, GithubSchema schema) throws RefusedQueryException {
            QueryPrinter.Printed printed = QueryPrinter.print(schema, QUERY, List.of(pick));
            Map<String, Object> variables =
                    MAPPER.convertValue(
                            printed.variables(),
                            MAPPER.getTypeFactory()
                                    .constructMapType(Map.class, String.class, Object.class));
            ExecutionResult result =
                    GraphQL.newGraphQL(schema.types())
                            .build()
                            .execute(
                                    ExecutionInput.newExecutionInput(printed.query())
                                            .variables(variables)
                                            .build());
            JsonNode data = MAPPER.valueToTree(result.getData());
            if (!result.getErrors().isEmpty() || !data.has(pick.key())) {
                throw RefusedQueryException.notAllowed(
                        "this question about the schema is not available here");
            }
            return data.get(pick.key());
        }
    }
}
