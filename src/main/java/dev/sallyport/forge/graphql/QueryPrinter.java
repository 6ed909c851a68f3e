package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import graphql.language.Argument;
import graphql.language.AstPrinter;
import graphql.language.Document;
import graphql.language.Field;
import graphql.language.InlineFragment;
import graphql.language.InputValueDefinition;
import graphql.language.OperationDefinition;
import graphql.language.Selection;
import graphql.language.SelectionSet;
import graphql.language.Type;
import graphql.language.TypeName;
import graphql.language.VariableDefinition;
import graphql.language.VariableReference;
import graphql.parser.Parser;
import graphql.schema.GraphQLArgument;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLTypeUtil;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Prints what was judged as a new query. The text has names of the schema and aliases only; every
/// value goes beside it, as a variable of the type that the schema says.
final class QueryPrinter {
    private final GithubSchema schema;
    private final List<VariableDefinition> declared = new ArrayList<>();
    private final ObjectNode values = Json.NODES.objectNode();

    private QueryPrinter(GithubSchema schema) {
        this.schema = schema;
    }

    record Printed(String query, ObjectNode variables) {
        byte[] body() {
            ObjectNode body = Json.NODES.objectNode();
            body.put("query", query);
            body.set("variables", variables);
            return Json.JSON.bytes(body);
        }
    }

    /// @param like the client's operation, whose kind and name the new one has
    static Printed print(GithubSchema schema, OperationDefinition like, List<Pick> roots) {
        QueryPrinter printer = new QueryPrinter(schema);
        List<Selection<?>> fields = new ArrayList<>();
        roots.forEach(root -> fields.add(printer.field(root)));
        OperationDefinition operation =
                OperationDefinition.newOperationDefinition()
                        .operation(like.getOperation())
                        .name(like.getName())
                        .selectionSet(new SelectionSet(fields))
                        .variableDefinitions(printer.declared)
                        .build();
        Document document = Document.newDocument().definition(operation).build();
        return new Printed(AstPrinter.printAstCompact(document), printer.values);
    }

    private Field field(Pick pick) {
        Field.Builder field = Field.newField(pick.name());
        if (!pick.key().equals(pick.name())) {
            field.alias(pick.key());
        }
        field.arguments(pick.arguments().entrySet().stream().map(e -> argument(pick, e)).toList());
        pick.below().ifPresent(below -> field.selectionSet(selections(below)));
        return field.build();
    }

    private Argument argument(Pick pick, Map.Entry<String, JsonNode> value) {
        String name = "v" + (declared.size() + 1);
        declared.add(new VariableDefinition(name, type(pick.field().getArgument(value.getKey()))));
        values.set(name, value.getValue());
        return new Argument(value.getKey(), new VariableReference(name));
    }

    /// As the schema's file writes it; questions about the schema itself are not in there.
    private static Type<?> type(GraphQLArgument argument) {
        InputValueDefinition written = argument.getDefinition();
        return written == null
                ? Parser.parseType(GraphQLTypeUtil.simplePrint(argument.getType()))
                : written.getType();
    }

    private SelectionSet selections(Picks picks) {
        List<Selection<?>> selections = new ArrayList<>(fields(picks.always()));
        if (picks.type() instanceof GraphQLObjectType type) {
            selections.addAll(Marks.of(schema.nameOf(type), asksForId(picks.always().stream())));
        } else {
            selections.addAll(Marks.ABSTRACT);
            schema.possible(picks.type())
                    .forEach(member -> inCaseOf(member, picks).ifPresent(selections::add));
        }
        return new SelectionSet(selections.isEmpty() ? Marks.ABSTRACT : selections);
    }

    private Optional<InlineFragment> inCaseOf(GraphQLObjectType member, Picks picks) {
        Collection<Pick> more =
                Optional.ofNullable(picks.cases().get(member.getName()))
                        .map(Picks::always)
                        .orElse(List.of());
        List<Selection<?>> selections = new ArrayList<>(fields(more));
        boolean named = asksForId(Stream.concat(picks.always().stream(), more.stream()));
        selections.addAll(Marks.of(schema.nameOf(member), named));
        return selections.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        InlineFragment.newInlineFragment()
                                .typeCondition(new TypeName(schema.nameOf(member)))
                                .selectionSet(new SelectionSet(selections))
                                .build());
    }

    private List<Field> fields(Collection<Pick> picks) {
        return picks.stream()
                .filter(pick -> !schema.isWithheld(pick.field()))
                .map(this::field)
                .toList();
    }

    private static boolean asksForId(Stream<Pick> picks) {
        return picks.anyMatch(pick -> pick.name().equals("id"));
    }
}
