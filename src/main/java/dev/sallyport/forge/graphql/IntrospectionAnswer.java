package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import graphql.ExecutionInput;
import graphql.ExecutionResult;
import graphql.GraphQL;
import graphql.language.OperationDefinition;
import java.util.List;
import java.util.Map;

/// Questions about the schema, answered from ours: clients look for features there, find none and
/// take their simple ways. Nothing of it is sent, because an answer that a client keeps for a day
/// must fit to what is served here.
final class IntrospectionAnswer {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final OperationDefinition QUERY =
            OperationDefinition.newOperationDefinition()
                    .operation(OperationDefinition.Operation.QUERY)
                    .build();

    private IntrospectionAnswer() {}

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
