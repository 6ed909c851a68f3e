package dev.sallyport.forge.graphql;

import dev.sallyport.policy.ApiOperation;
import graphql.introspection.Introspection;
import graphql.language.EnumValue;
import graphql.language.StringValue;
import graphql.schema.GraphQLAppliedDirective;
import graphql.schema.GraphQLAppliedDirectiveArgument;
import graphql.schema.GraphQLCompositeType;
import graphql.schema.GraphQLDirectiveContainer;
import graphql.schema.GraphQLFieldDefinition;
import graphql.schema.GraphQLFieldsContainer;
import graphql.schema.GraphQLInterfaceType;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLSchema;
import graphql.schema.GraphQLTypeUtil;
import graphql.schema.GraphQLUnionType;
import graphql.schema.idl.SchemaParser;
import graphql.schema.idl.UnExecutableSchemaGenerator;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// The schema that queries are judged by: `github.graphqls`, and what its directives say.
final class GithubSchema {
    private static final String FILE = "github.graphqls";
    private final GraphQLSchema types;

    private GithubSchema(GraphQLSchema types) {
        this.types = types;
    }

    static GithubSchema load() {
        try (InputStream file = GithubSchema.class.getResourceAsStream(FILE)) {
            if (file == null) {
                throw new IllegalStateException("this installation has no " + FILE);
            }
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            return new GithubSchema(
                    UnExecutableSchemaGenerator.makeUnExecutableSchema(
                            new SchemaParser().parse(text)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    GraphQLSchema types() {
        return types;
    }

    /// What the operation of a document selects from.
    Optional<GraphQLObjectType> root(graphql.language.OperationDefinition.Operation operation) {
        return switch (operation) {
            case QUERY -> Optional.of(types.getQueryType());
            case MUTATION -> Optional.ofNullable(types.getMutationType());
            case SUBSCRIPTION -> Optional.empty();
        };
    }

    Optional<GraphQLFieldDefinition> field(GraphQLCompositeType parent, String name) {
        if (name.equals(Introspection.TypeNameMetaFieldDef.getName())) {
            return Optional.of(types.getIntrospectionTypenameFieldDefinition());
        }
        boolean asksForTypes =
                parent.getName().equals(types.getQueryType().getName()) && name.startsWith("__");
        if (asksForTypes) {
            return switch (name) {
                case "__schema" -> Optional.of(types.getIntrospectionSchemaFieldDefinition());
                case "__type" -> Optional.of(types.getIntrospectionTypeFieldDefinition());
                default -> Optional.empty();
            };
        }
        return parent instanceof GraphQLFieldsContainer container
                ? Optional.ofNullable(container.getFieldDefinition(name))
                : Optional.empty();
    }

    /// What is selected from below a field, in its smaller form if there is one; empty for a leaf.
    Optional<GraphQLCompositeType> below(GraphQLFieldDefinition field) {
        Optional<String> narrow = text(field, "narrow", "to");
        var type =
                narrow.isPresent()
                        ? types.getType(narrow.get())
                        : GraphQLTypeUtil.unwrapAll(field.getType());
        return type instanceof GraphQLCompositeType composite
                ? Optional.of(composite)
                : Optional.empty();
    }

    boolean isNarrow(GraphQLFieldDefinition field) {
        return field.hasAppliedDirective("narrow");
    }

    boolean isWithheld(GraphQLFieldDefinition field) {
        return field.hasAppliedDirective("withheld");
    }

    /// GitHub's name of a type, of which ours may be a smaller form.
    String nameOf(GraphQLCompositeType type) {
        return type instanceof GraphQLDirectiveContainer container
                ? text(container, "of", "type").orElse(type.getName())
                : type.getName();
    }

    /// The concrete types that an object at this place can have.
    List<GraphQLObjectType> possible(GraphQLCompositeType type) {
        return switch (type) {
            case GraphQLObjectType object -> List.of(object);
            case GraphQLInterfaceType shared -> List.copyOf(types.getImplementations(shared));
            case GraphQLUnionType union -> members(union);
            default -> List.of();
        };
    }

    private static List<GraphQLObjectType> members(GraphQLUnionType union) {
        return union.getTypes().stream()
                .filter(GraphQLObjectType.class::isInstance)
                .map(GraphQLObjectType.class::cast)
                .toList();
    }

    /// Which operation reading a type is, if it says so itself.
    Optional<ApiOperation> allow(GraphQLCompositeType type) {
        return type instanceof GraphQLDirectiveContainer container
                ? text(container, "allow", "op").map(ApiOperation::valueOf)
                : Optional.empty();
    }

    /// Which operation a mutation is, on a pull request or repository, or else on an issue.
    Optional<ApiOperation> change(GraphQLFieldDefinition mutation, boolean onIssue) {
        return text(mutation, "change", onIssue ? "onIssue" : "op").map(ApiOperation::valueOf);
    }

    Optional<Meaning> meaning(GraphQLDirectiveContainer input) {
        return text(input, "means", "a").map(Meaning::valueOf);
    }

    /// The type that the id in this input has to have.
    Optional<String> meantType(GraphQLDirectiveContainer input) {
        return text(input, "means", "type");
    }

    private static Optional<String> text(
            GraphQLDirectiveContainer container, String directive, String argument) {
        GraphQLAppliedDirective found = container.getAppliedDirective(directive);
        GraphQLAppliedDirectiveArgument value = found == null ? null : found.getArgument(argument);
        return switch (value == null ? null : value.getArgumentValue().getValue()) {
            case StringValue text -> Optional.ofNullable(text.getValue());
            case EnumValue name -> Optional.of(name.getName());
            case null, default -> Optional.empty();
        };
    }

    /// What the judge makes of an input; see the enumeration of the same name in the file.
    enum Meaning {
        TARGET,
        HEAD,
        BASE,
        TEXT,
        REVIEWERS,
        OTHER_REVIEWERS,
        REVIEWER_IDS,
        ALWAYS_TRUE,
        PULL_REQUEST
    }
}
