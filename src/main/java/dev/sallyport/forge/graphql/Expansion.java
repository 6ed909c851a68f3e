package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import graphql.language.Argument;
import graphql.language.Directive;
import graphql.language.Field;
import graphql.language.FragmentDefinition;
import graphql.language.FragmentSpread;
import graphql.language.InlineFragment;
import graphql.language.Selection;
import graphql.language.SelectionSet;
import graphql.schema.GraphQLArgument;
import graphql.schema.GraphQLCompositeType;
import graphql.schema.GraphQLFieldDefinition;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLTypeUtil;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Reads a document against the schema: fragments are put in place, values as well, and each field
/// must be one that the schema has. Bounded by what the expanded query would be, so that fragments
/// that double each other cost nothing (G8).
final class Expansion {
    static final int DEPTH_MAX_LEVELS = 24;
    private static final int FIELDS_MAX = 2_000;
    private static final int KEY_MAX_CHARS = 100;
    private static final int PAGE_MAX_NODES = 100;

    /// Names in an answer that are ours.
    static final String OURS = "sallyport_";

    private final GithubSchema schema;
    private final QueryRequest request;
    private final Coercion values;
    private final Set<String> used = new HashSet<>();
    private int fields;

    private Expansion(GithubSchema schema, QueryRequest request) throws RefusedQueryException {
        this.schema = schema;
        this.request = request;
        this.values =
                new Coercion(request.operation().getVariableDefinitions(), request.variables());
    }

    static Picks of(GithubSchema schema, QueryRequest request) throws RefusedQueryException {
        GraphQLObjectType root =
                schema.root(request.operation().getOperation())
                        .orElseThrow(
                                () ->
                                        RefusedQueryException.notAllowed(
                                                "subscriptions are not available here"));
        Expansion expansion = new Expansion(schema, request);
        refuse(request.operation().getDirectives());
        Picks picks = expansion.picks(root, request.operation().getSelectionSet(), 1);
        if (!expansion.used.equals(request.fragments().keySet())) {
            throw RefusedQueryException.malformed("a fragment is not used");
        }
        return picks;
    }

    private Picks picks(GraphQLCompositeType type, SelectionSet selections, int depth)
            throws RefusedQueryException {
        Picks picks = new Picks(type);
        select(picks, selections, depth, Set.of());
        picks.settle();
        return picks;
    }

    private void select(Picks picks, SelectionSet selections, int depth, Set<String> within)
            throws RefusedQueryException {
        if (depth > DEPTH_MAX_LEVELS) {
            throw RefusedQueryException.malformed(
                    "the query is nested more than %d levels".formatted(DEPTH_MAX_LEVELS));
        }
        for (Selection<?> selection : selections.getSelections()) {
            if (++fields > FIELDS_MAX) {
                throw RefusedQueryException.malformed(
                        "the query has more than %d fields".formatted(FIELDS_MAX));
            }
            switch (selection) {
                case Field field -> picks.add(pick(picks.type(), field, depth));
                case InlineFragment fragment -> inline(picks, fragment, depth, within);
                case FragmentSpread spread -> spread(picks, spread, depth, within);
                default -> throw RefusedQueryException.malformed("a selection is of no known form");
            }
        }
    }

    private void inline(Picks picks, InlineFragment fragment, int depth, Set<String> within)
            throws RefusedQueryException {
        refuse(fragment.getDirectives());
        var condition = fragment.getTypeCondition();
        narrow(
                picks,
                condition == null ? Optional.empty() : Optional.of(condition.getName()),
                fragment.getSelectionSet(),
                depth,
                within);
    }

    private void spread(Picks picks, FragmentSpread spread, int depth, Set<String> within)
            throws RefusedQueryException {
        refuse(spread.getDirectives());
        FragmentDefinition fragment = request.fragments().get(spread.getName());
        if (fragment == null || within.contains(spread.getName())) {
            throw RefusedQueryException.malformed(
                    "the fragment %s is not defined, or contains itself"
                            .formatted(spread.getName()));
        }
        refuse(fragment.getDirectives());
        used.add(spread.getName());
        Set<String> deeper = new HashSet<>(within);
        deeper.add(spread.getName());
        narrow(
                picks,
                Optional.of(fragment.getTypeCondition().getName()),
                fragment.getSelectionSet(),
                depth,
                deeper);
    }

    /// Puts the fields of a fragment where they apply: always, or for the types that the place and
    /// the fragment have in common.
    private void narrow(
            Picks picks,
            Optional<String> condition,
            SelectionSet selections,
            int depth,
            Set<String> within)
            throws RefusedQueryException {
        if (condition.isEmpty() || isAlways(picks.type(), condition.get())) {
            select(picks, selections, depth + 1, within);
            return;
        }
        List<GraphQLObjectType> members =
                schema.possible(picks.type()).stream()
                        .filter(member -> isAlways(member, condition.get()))
                        .toList();
        if (members.isEmpty()) {
            throw RefusedQueryException.notAllowed(
                    "%s is not available here as %s"
                            .formatted(schema.nameOf(picks.type()), condition.get()));
        }
        for (GraphQLObjectType member : members) {
            select(picks.inCaseOf(member), selections, depth + 1, within);
        }
    }

    /// Whether every object of this type is of the other as well.
    private boolean isAlways(GraphQLCompositeType type, String condition) {
        if (schema.nameOf(type).equals(condition)) {
            return true;
        }
        return schema.types().getType(condition) instanceof GraphQLCompositeType wider
                && type instanceof GraphQLObjectType
                && schema.possible(wider).stream()
                        .anyMatch(member -> member.getName().equals(schema.nameOf(type)));
    }

    private Pick pick(GraphQLCompositeType parent, Field field, int depth)
            throws RefusedQueryException {
        refuse(field.getDirectives());
        String place = schema.nameOf(parent) + "." + field.getName();
        GraphQLFieldDefinition found =
                schema.field(parent, field.getName())
                        .orElseThrow(() -> unknown(field.getName(), "type", schema.nameOf(parent)));
        String key = field.getAlias() == null ? field.getName() : field.getAlias();
        if (key.startsWith(OURS) || key.length() > KEY_MAX_CHARS) {
            throw RefusedQueryException.malformed("%s cannot be an alias".formatted(key));
        }
        Map<String, JsonNode> arguments = arguments(found, field.getArguments(), place);
        Optional<GraphQLCompositeType> below = schema.below(found);
        SelectionSet selections = field.getSelectionSet();
        if (below.isPresent() != (selections != null)) {
            throw RefusedQueryException.malformed(
                    "%s has fields to select, or has none".formatted(place));
        }
        return new Pick(
                key,
                found,
                arguments,
                selections == null
                        ? Optional.empty()
                        : Optional.of(picks(below.orElseThrow(), selections, depth + 1)));
    }

    /// In GitHub's words with ours behind them: clients that know an older GitHub look for these
    /// and ask for less.
    static RefusedQueryException unknown(String field, String kind, String type) {
        String sentence =
                kind.equals("type")
                        ? "Field '%s' doesn't exist on type '%s'"
                        : "InputObject '%2$s' doesn't accept argument '%1$s'";
        return RefusedQueryException.unavailable(sentence.formatted(field, type));
    }

    private Map<String, JsonNode> arguments(
            GraphQLFieldDefinition field, List<Argument> written, String place)
            throws RefusedQueryException {
        Map<String, JsonNode> arguments = new LinkedHashMap<>();
        for (Argument argument : written) {
            GraphQLArgument known = field.getArgument(argument.getName());
            String inner = place + "(" + argument.getName() + ":)";
            if (known == null || arguments.containsKey(argument.getName())) {
                throw RefusedQueryException.notAllowed(inner + " is not available here");
            }
            values.value(known.getType(), argument.getValue(), inner)
                    .ifPresent(value -> arguments.put(known.getName(), value));
        }
        for (GraphQLArgument known : field.getArguments()) {
            if (GraphQLTypeUtil.isNonNull(known.getType())
                    && !arguments.containsKey(known.getName())) {
                throw RefusedQueryException.malformed(
                        "%s(%s:) is missing".formatted(place, known.getName()));
            }
        }
        checkPage(arguments, place);
        return arguments;
    }

    private static void checkPage(Map<String, JsonNode> arguments, String place)
            throws RefusedQueryException {
        for (String size : List.of("first", "last")) {
            JsonNode value = arguments.get(size);
            if (value != null
                    && value.isInt()
                    && Math.abs((long) value.intValue()) > PAGE_MAX_NODES) {
                throw RefusedQueryException.malformed(
                        "%s: at most %d at once".formatted(place, PAGE_MAX_NODES));
            }
        }
    }

    /// A field under @skip still goes upstream on another day; clients that matter send none.
    private static void refuse(List<Directive> directives) throws RefusedQueryException {
        if (!directives.isEmpty()) {
            throw RefusedQueryException.notAllowed(
                    "directives are not available here: @" + directives.getFirst().getName());
        }
    }
}
