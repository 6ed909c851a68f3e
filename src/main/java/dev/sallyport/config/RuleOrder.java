package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.UrlPattern;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// Rules in the order in which they are asked: the first that covers host and port decides.
final class RuleOrder {
    /// Where a rule comes from, which says what is to be done when it never decides anything.
    enum Source {
        FILE,
        PRESET,
        TOOL
    }

    private record Placed(EgressRule rule, Source source) {}

    /// What earlier rules leave of one that comes after them.
    ///
    /// @param ports where they decide in its place; `rules` are the ones that do
    /// @param whole whether nothing is left for it
    record Cover(SortedSet<Integer> ports, List<EgressRule> rules, boolean whole) {
        boolean isNone() {
            return rules.isEmpty();
        }
    }

    private final List<Placed> placed = new ArrayList<>();

    void add(EgressRule rule, Source source) {
        placed.add(new Placed(rule, source));
    }

    /// What became of a rule that nobody wrote by hand.
    enum Joining {
        /// It is a rule of its own, at least on some port.
        ADDED,
        /// Its paths joined those of an earlier rule.
        WIDENED,
        /// An earlier rule says the same.
        KNOWN,
        /// An earlier rule decides in its place.
        COVERED
    }

    /// Adds what nobody wrote by hand. Two presets may need different paths of one host, of which
    /// only the first would be asked; they become one rule.
    Joining join(EgressRule rule, Source source) {
        for (int i = 0; i < placed.size(); i++) {
            Placed earlier = placed.get(i);
            if (earlier.source() == source && differInPathsOnly(earlier.rule(), rule)) {
                EgressRule both = joined(earlier.rule(), rule);
                placed.set(i, new Placed(both, source));
                return both.inspection().equals(earlier.rule().inspection())
                        ? Joining.KNOWN
                        : Joining.WIDENED;
            }
        }
        if (coverOf(rule, Set.of(Source.values())).whole()) {
            return Joining.COVERED;
        }
        add(rule, source);
        return Joining.ADDED;
    }

    /// A rule without ports says itself that it decides nothing: no other one covers it.
    Cover coverOf(EgressRule rule, Set<Source> sources) {
        SortedSet<Integer> ports = new TreeSet<>();
        Set<EgressRule> rules = new LinkedHashSet<>();
        for (int port : rule.ports()) {
            placed.stream()
                    .filter(other -> sources.contains(other.source()))
                    .map(Placed::rule)
                    .filter(other -> other.host().covers(rule.host()))
                    .filter(other -> other.ports().contains(port))
                    .findFirst()
                    .ifPresent(
                            earlier -> {
                                ports.add(port);
                                rules.add(earlier);
                            });
        }
        boolean whole = !rules.isEmpty() && ports.equals(rule.ports());
        return new Cover(ports, List.copyOf(rules), whole);
    }

    List<EgressRule> rules() {
        return placed.stream().map(Placed::rule).toList();
    }

    private static boolean differInPathsOnly(EgressRule one, EgressRule other) {
        return one.host().equals(other.host())
                && one.ports().equals(other.ports())
                && one.reach().equals(other.reach())
                && hasPaths(one)
                && hasPaths(other)
                && withoutPaths(one).equals(withoutPaths(other));
    }

    private static boolean hasPaths(EgressRule rule) {
        return rule.inspection().flatMap(Inspection::paths).isPresent();
    }

    private static Optional<Inspection> withoutPaths(EgressRule rule) {
        return rule.inspection().map(inspection -> inspection.withPaths(List.of()));
    }

    private static EgressRule joined(EgressRule one, EgressRule other) {
        Set<UrlPattern> paths = new LinkedHashSet<>(paths(one));
        paths.addAll(paths(other));
        return new EgressRule(
                one.host(),
                one.ports(),
                one.reach(),
                one.inspection().map(inspection -> inspection.withPaths(List.copyOf(paths))),
                one.origin() + "; " + other.origin());
    }

    private static List<UrlPattern> paths(EgressRule rule) {
        return rule.inspection().flatMap(Inspection::paths).orElse(List.of());
    }
}
