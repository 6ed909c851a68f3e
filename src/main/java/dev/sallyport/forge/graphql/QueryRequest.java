package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import graphql.language.Definition;
import graphql.language.Document;
import graphql.language.FragmentDefinition;
import graphql.language.OperationDefinition;
import graphql.parser.InvalidSyntaxException;
import graphql.parser.Parser;
import graphql.parser.ParserEnvironment;
import graphql.parser.ParserOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// The body of a request: one operation with its fragments, and the values of its variables.
///
/// @param text what the document was read from
record QueryRequest(
        String text,
        Document document,
        OperationDefinition operation,
        Map<String, FragmentDefinition> fragments,
        ObjectNode variables) {
    private static final Set<String> MEMBERS = Set.of("query", "variables", "operationName");
    private static final int TOKENS_MAX = 8_000;
    private static final int WHITESPACE_TOKENS_MAX = 60_000;

    /// What ANTLR's rules may be nested, several for each level of a query.
    private static final int RULES_MAX_DEPTH = 300;

    /// @param known documents that were read before, by their text
    static QueryRequest parse(byte[] body, Function<String, Optional<Document>> known)
            throws RefusedQueryException {
        ObjectNode request =
                Json.JSON
                        .read(body)
                        .orElseThrow(
                                () ->
                                        RefusedQueryException.malformed(
                                                "a query is one JSON object in UTF-8, without a member twice"));
        checkMembers(request);
        String text = request.path("query").textValue();
        Optional<Document> before = known.apply(text);
        return of(request, text, before.isPresent() ? before.get() : document(text));
    }

    private static void checkMembers(ObjectNode request) throws RefusedQueryException {
        for (Map.Entry<String, JsonNode> member : request.properties()) {
            boolean known = MEMBERS.contains(member.getKey());
            JsonNode value = member.getValue();
            boolean fits =
                    switch (member.getKey()) {
                        case "query" -> value.isTextual();
                        case "variables" -> value.isObject() || value.isNull();
                        default -> value.isTextual() || value.isNull();
                    };
            if (!known || !fits) {
                throw RefusedQueryException.malformed(
                        "a query has the members query, variables and operationName only");
            }
        }
        if (!request.has("query")) {
            throw RefusedQueryException.malformed("there is no query");
        }
    }

    private static Document document(String query) throws RefusedQueryException {
        try {
            return Parser.parse(
                    ParserEnvironment.newParserEnvironment()
                            .document(query)
                            .parserOptions(limits(query.length()))
                            .build());
        } catch (InvalidSyntaxException _) {
            throw RefusedQueryException.malformed(
                    "the query is not GraphQL, or is larger than %d words or nested too deeply"
                            .formatted(TOKENS_MAX));
        }
    }

    /// The text is as long as the door lets it be; what it is made of has limits here.
    private static ParserOptions limits(int characters) {
        return ParserOptions.newParserOptions()
                .maxCharacters(characters)
                .maxTokens(TOKENS_MAX)
                .maxWhitespaceTokens(WHITESPACE_TOKENS_MAX)
                .maxRuleDepth(RULES_MAX_DEPTH)
                .captureIgnoredChars(false)
                .captureLineComments(false)
                .captureSourceLocation(false)
                .readerTrackData(false)
                .redactTokenParserErrorMessages(true)
                .build();
    }

    private static QueryRequest of(ObjectNode request, String text, Document document)
            throws RefusedQueryException {
        Map<String, FragmentDefinition> fragments = new LinkedHashMap<>();
        Optional<OperationDefinition> operation = Optional.empty();
        for (Definition<?> definition : document.getDefinitions()) {
            if (definition instanceof FragmentDefinition fragment) {
                if (fragments.put(fragment.getName(), fragment) != null) {
                    throw RefusedQueryException.malformed("a fragment is defined twice");
                }
            } else if (definition instanceof OperationDefinition found && operation.isEmpty()) {
                operation = Optional.of(found);
            } else {
                throw RefusedQueryException.malformed("a document has one operation only");
            }
        }
        OperationDefinition found =
                operation.orElseThrow(
                        () -> RefusedQueryException.malformed("there is no operation"));
        checkName(request.path("operationName"), found);
        JsonNode variables = request.path("variables");
        return new QueryRequest(
                text,
                document,
                found,
                fragments,
                variables instanceof ObjectNode values ? values : Json.NODES.objectNode());
    }

    private static void checkName(JsonNode asked, OperationDefinition operation)
            throws RefusedQueryException {
        boolean named = asked.isTextual() && !asked.textValue().isEmpty();
        if (named && !asked.textValue().equals(operation.getName())) {
            throw RefusedQueryException.malformed("there is no operation of this name");
        }
    }
}
