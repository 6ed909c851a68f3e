package dev.sallyport.forge.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import graphql.ExecutionInput;
import graphql.ExecutionResult;
import graphql.GraphQL;
import graphql.schema.DataFetcher;
import graphql.schema.DataFetchingEnvironment;
import graphql.schema.GraphQLCompositeType;
import graphql.schema.GraphQLEnumType;
import graphql.schema.GraphQLList;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLSchema;
import graphql.schema.GraphQLType;
import graphql.schema.GraphQLTypeUtil;
import graphql.schema.TypeResolver;
import graphql.schema.idl.FieldWiringEnvironment;
import graphql.schema.idl.InterfaceWiringEnvironment;
import graphql.schema.idl.RuntimeWiring;
import graphql.schema.idl.ScalarInfo;
import graphql.schema.idl.ScalarWiringEnvironment;
import graphql.schema.idl.SchemaGenerator;
import graphql.schema.idl.SchemaParser;
import graphql.schema.idl.UnionWiringEnvironment;
import graphql.schema.idl.WiringFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;

/// An upstream in which every edge to a repository, issue or pull request may lead into another
/// repository, also where GitHub's never would, and in which everything there says so.
final class HostileGraph {
    static final String SECRET = "SECRET";
    private static final int SECRET_NUMBER = 666_666;
    private static final ObjectMapper JSON = new ObjectMapper();
    private final GithubSchema schema;
    private final GraphQL graph;
    private Random random = new Random(0);

    /// @param foreign whether it belongs to the other repository
    private record Thing(String type, boolean foreign) {}

    HostileGraph(GithubSchema schema) throws IOException {
        this.schema = schema;
        try (InputStream file = GithubSchema.class.getResourceAsStream("github.graphqls")) {
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            RuntimeWiring wiring =
                    RuntimeWiring.newRuntimeWiring().wiringFactory(new Wiring()).build();
            GraphQLSchema types =
                    new SchemaGenerator()
                            .makeExecutableSchema(new SchemaParser().parse(text), wiring);
            graph = GraphQL.newGraphQL(types).build();
        }
    }

    /// What upstream says to a body, which must be a valid query.
    byte[] answer(byte[] body, long seed) throws IOException {
        random = new Random(seed);
        JsonNode request = JSON.readTree(body);
        Map<String, Object> variables =
                JSON.convertValue(
                        request.get("variables"),
                        JSON.getTypeFactory()
                                .constructMapType(Map.class, String.class, Object.class));
        ExecutionResult result =
                graph.execute(
                        ExecutionInput.newExecutionInput(request.get("query").textValue())
                                .variables(variables)
                                .build());
        assertThat(result.getErrors()).as(request.get("query").textValue()).isEmpty();
        return JSON.writeValueAsBytes(result.toSpecification());
    }

    private Object value(DataFetchingEnvironment env) {
        Thing parent = env.getSource() instanceof Thing thing ? thing : new Thing("Query", false);
        GraphQLType type = GraphQLTypeUtil.unwrapNonNull(env.getFieldType());
        if (type instanceof GraphQLList list) {
            GraphQLType element = GraphQLTypeUtil.unwrapAll(list);
            int size =
                    env.getField().getName().equals("nodes") && parent.type().equals("Query")
                            ? Objects.requireNonNull(env.<List<?>>getArgument("ids")).size()
                            : 2;
            return IntStream.range(0, size)
                    .mapToObj(_ -> one(env.getField().getName(), element, parent))
                    .toList();
        }
        return one(env.getField().getName(), type, parent);
    }

    private Object one(String field, GraphQLType type, Thing parent) {
        if (type instanceof GraphQLCompositeType composite) {
            List<GraphQLObjectType> possible = schema.possible(composite);
            String name = possible.get(random.nextInt(possible.size())).getName();
            // What belongs to a repository says so truly: GitHub does not lie about its own.
            boolean mayLeave = Marks.isOwned(name) && !field.equals("repository");
            boolean root = parent.type().equals("Query");
            boolean foreign = (mayLeave || root) ? random.nextInt(3) == 0 : parent.foreign();
            return new Thing(name, foreign && !isNobodys(name));
        }
        if (type instanceof GraphQLEnumType names) {
            return names.getValues().getFirst().getValue();
        }
        String text = parent.foreign() ? SECRET : "fine";
        return switch (GraphQLTypeUtil.simplePrint(type)) {
            case "Int" -> parent.foreign() ? SECRET_NUMBER : 1;
            case "Boolean" -> true;
            default ->
                    switch (field) {
                        case "nameWithOwner" -> parent.foreign() ? "evil/SECRET" : "acme/app";
                        default -> text;
                    };
        };
    }

    /// People, who belong to no repository.
    private static boolean isNobodys(String type) {
        return List.of("User", "Organization", "RateLimit", "SearchResultItemConnection")
                .contains(type);
    }

    private final class Wiring implements WiringFactory {
        private final TypeResolver resolver =
                env ->
                        env.getSchema()
                                .getObjectType(
                                        Objects.requireNonNull(env.<Thing>getObject()).type());

        @Override
        public boolean providesTypeResolver(InterfaceWiringEnvironment environment) {
            return true;
        }

        @Override
        public TypeResolver getTypeResolver(InterfaceWiringEnvironment environment) {
            return resolver;
        }

        @Override
        public boolean providesTypeResolver(UnionWiringEnvironment environment) {
            return true;
        }

        @Override
        public TypeResolver getTypeResolver(UnionWiringEnvironment environment) {
            return resolver;
        }

        @Override
        public boolean providesScalar(ScalarWiringEnvironment environment) {
            return !ScalarInfo.isGraphqlSpecifiedScalar(
                    environment.getScalarTypeDefinition().getName());
        }

        @Override
        public graphql.schema.GraphQLScalarType getScalar(ScalarWiringEnvironment environment) {
            return graphql.schema.GraphQLScalarType.newScalar()
                    .name(environment.getScalarTypeDefinition().getName())
                    .coercing(graphql.Scalars.GraphQLString.getCoercing())
                    .build();
        }

        @Override
        public DataFetcher<?> getDefaultDataFetcher(FieldWiringEnvironment environment) {
            return HostileGraph.this::value;
        }
    }
}
