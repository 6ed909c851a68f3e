package dev.sallyport.forge.graphql;

import graphql.language.OperationDefinition.Operation;
import graphql.schema.GraphQLArgument;
import graphql.schema.GraphQLCompositeType;
import graphql.schema.GraphQLEnumType;
import graphql.schema.GraphQLFieldDefinition;
import graphql.schema.GraphQLFieldsContainer;
import graphql.schema.GraphQLInputObjectType;
import graphql.schema.GraphQLInputType;
import graphql.schema.GraphQLList;
import graphql.schema.GraphQLNonNull;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLType;
import graphql.schema.GraphQLTypeUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/// A query that the schema allows, made at random: with aliases, fragments of both kinds, and roots
/// that are granted, foreign, or known by an id only.
final class RandomQuery {
    private static final int DEPTH_MAX_LEVELS = 8;
    private static final int FIELDS_MAX = 120;
    private final GithubSchema schema;
    private final Random random;
    private final List<String> fragments = new ArrayList<>();
    private int fields;
    private int names;

    RandomQuery(GithubSchema schema, long seed) {
        this.schema = schema;
        this.random = new Random(seed);
    }

    String text() {
        boolean mutation = random.nextInt(8) == 0;
        GraphQLObjectType root =
                schema.root(mutation ? Operation.MUTATION : Operation.QUERY).orElseThrow();
        int roots = mutation ? 1 : 1 + random.nextInt(4);
        StringBuilder text = new StringBuilder(mutation ? "mutation M {" : "query Q {");
        for (int i = 0; i < roots; i++) {
            List<GraphQLFieldDefinition> all = root.getFieldDefinitions();
            text.append(' ').append(field(all.get(random.nextInt(all.size())), 1));
        }
        return text + " } " + String.join(" ", fragments);
    }

    private String field(GraphQLFieldDefinition field, int depth) {
        fields++;
        return "a%d: %s".formatted(names++, field.getName())
                + arguments(field)
                + schema.below(field).map(below -> " " + selections(below, depth + 1)).orElse("");
    }

    private String selections(GraphQLCompositeType type, int depth) {
        List<String> chosen = new ArrayList<>();
        if (random.nextInt(6) == 0) {
            chosen.add("a" + names++ + ": __typename");
        }
        if (type instanceof GraphQLFieldsContainer container) {
            for (GraphQLFieldDefinition field : container.getFieldDefinitions()) {
                boolean leaf = schema.below(field).isEmpty();
                boolean room = depth < DEPTH_MAX_LEVELS && fields < FIELDS_MAX;
                if (leaf ? random.nextInt(4) == 0 : room && random.nextInt(4) == 0) {
                    chosen.add(field(field, depth));
                }
            }
        }
        if (!(type instanceof GraphQLObjectType) && depth < DEPTH_MAX_LEVELS) {
            for (GraphQLObjectType member : schema.possible(type)) {
                if (random.nextBoolean()) {
                    chosen.add("... on " + member.getName() + " " + selections(member, depth + 1));
                }
            }
        }
        if (chosen.isEmpty()) {
            chosen.add("a" + names++ + ": __typename");
        }
        return wrapped(type, chosen);
    }

    /// As it is, in a fragment without a type, with its type, or with a name.
    private String wrapped(GraphQLCompositeType type, List<String> chosen) {
        String inner = String.join(" ", chosen);
        return switch (random.nextInt(6)) {
            case 0 -> "{ ... { " + inner + " } }";
            case 1 -> "{ ... on " + schema.nameOf(type) + " { " + inner + " } }";
            case 2 -> {
                String name = "f" + fragments.size();
                fragments.add(
                        "fragment " + name + " on " + schema.nameOf(type) + " { " + inner + " }");
                yield "{ ..." + name + " }";
            }
            default -> "{ " + inner + " }";
        };
    }

    private String arguments(GraphQLFieldDefinition field) {
        String given =
                field.getArguments().stream()
                        .filter(this::isGiven)
                        .map(argument -> argument.getName() + ": " + value(field, argument))
                        .collect(Collectors.joining(", "));
        return given.isEmpty() ? "" : "(" + given + ")";
    }

    private boolean isGiven(GraphQLArgument argument) {
        return GraphQLTypeUtil.isNonNull(argument.getType())
                || argument.getName().equals("first")
                || random.nextInt(6) == 0;
    }

    private String value(GraphQLFieldDefinition field, GraphQLArgument argument) {
        boolean granted = random.nextInt(5) > 0;
        return switch (field.getName() + "." + argument.getName()) {
            case "repository.owner" -> granted ? "\"acme\"" : "\"evil\"";
            case "repository.name" -> granted ? "\"app\"" : "\"secret\"";
            case "search.query" -> granted ? "\"repo:acme/app x\"" : "\"repo:evil/secret x\"";
            case "nodes.ids" -> "[\"PR_1\", \"I_2\", \"PR_foreign\", \"R_1\"]";
            default -> value(argument.getType(), argument.getName());
        };
    }

    private String value(GraphQLInputType type, String name) {
        GraphQLType bare = GraphQLTypeUtil.unwrapNonNull(type);
        return switch (bare) {
            case GraphQLList list ->
                    "[" + value((GraphQLInputType) list.getWrappedType(), name) + "]";
            case GraphQLEnumType names ->
                    names.getValues().get(random.nextInt(names.getValues().size())).getName();
            case GraphQLInputObjectType input -> object(input);
            default ->
                    switch (GraphQLTypeUtil.simplePrint(bare)) {
                        case "Int" -> String.valueOf(1 + random.nextInt(5));
                        case "Boolean" -> String.valueOf(random.nextBoolean());
                        case "ID" -> id(name);
                        default -> "\"x\"";
                    };
        };
    }

    private String id(String name) {
        return switch (name) {
            case "repositoryId" -> "\"R_1\"";
            case "userIds", "teamIds" -> "\"U_1\"";
            case "pullRequestId" -> "\"PR_1\"";
            default -> List.of("\"PR_1\"", "\"I_2\"", "\"R_1\"").get(random.nextInt(3));
        };
    }

    private String object(GraphQLInputObjectType input) {
        return input.getFieldDefinitions().stream()
                .filter(f -> f.getType() instanceof GraphQLNonNull || random.nextInt(4) == 0)
                .map(f -> f.getName() + ": " + value(f.getType(), f.getName()))
                .collect(Collectors.joining(", ", "{", "}"));
    }
}
