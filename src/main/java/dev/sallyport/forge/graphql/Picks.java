package dev.sallyport.forge.graphql;

import graphql.schema.GraphQLCompositeType;
import graphql.schema.GraphQLObjectType;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// What is selected from an object, without fragments: fields by their name in the answer, and, if
/// the object can be of several types, further fields for each of them.
final class Picks {
    private final GraphQLCompositeType type;
    private final Map<String, Pick> always = new LinkedHashMap<>();
    private final Map<String, Picks> cases = new LinkedHashMap<>();

    Picks(GraphQLCompositeType type) {
        this.type = type;
    }

    GraphQLCompositeType type() {
        return type;
    }

    Collection<Pick> always() {
        return always.values();
    }

    /// By the name of the type.
    Map<String, Picks> cases() {
        return cases;
    }

    /// Fields for objects of this type only.
    Picks inCaseOf(GraphQLObjectType member) {
        return cases.computeIfAbsent(member.getName(), _ -> new Picks(member));
    }

    /// The same for objects that are known to be of one type.
    Picks onlyFor(String member) {
        Picks only = new Picks(type);
        only.always.putAll(always);
        Optional.ofNullable(cases.get(member)).ifPresent(found -> only.cases.put(member, found));
        return only;
    }

    /// Adds a field. What has the same name in the answer must be the same field with the same
    /// values: its selections are put together.
    void add(Pick pick) throws RefusedQueryException {
        Pick known = always.get(pick.key());
        if (known == null) {
            always.put(pick.key(), pick);
        } else if (!known.name().equals(pick.name())
                || !known.arguments().equals(pick.arguments())) {
            throw RefusedQueryException.malformed(
                    "%s is selected twice, with different meanings".formatted(pick.key()));
        } else if (known.below().isPresent() && pick.below().isPresent()) {
            known.below().get().addAll(pick.below().get());
        }
    }

    private void addAll(Picks others) throws RefusedQueryException {
        for (Pick pick : others.always()) {
            add(pick);
        }
        for (Picks member : others.cases().values()) {
            Picks mine = cases.computeIfAbsent(member.type.getName(), _ -> new Picks(member.type));
            mine.addAll(member);
        }
    }

    /// Takes out of each case what is selected always, so that no object has a name twice.
    void settle() throws RefusedQueryException {
        for (Picks member : cases.values()) {
            for (Pick pick : always.values()) {
                Pick again = member.always.remove(pick.key());
                if (again != null && !isSameLeaf(again, pick)) {
                    throw RefusedQueryException.malformed(
                            "%s is selected twice; select it in one place".formatted(pick.key()));
                }
            }
        }
    }

    private static boolean isSameLeaf(Pick one, Pick other) {
        return one.name().equals(other.name())
                && one.arguments().equals(other.arguments())
                && one.below().isEmpty()
                && other.below().isEmpty();
    }
}
