package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.UrlPattern;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Rules in the order in which they are asked: the first that covers host and port decides.
final class RuleOrder {
    /// Where a rule comes from, which says what is to be done when it never decides anything.
    enum Source {
        FILE,
        PRESET,
        TOOL
    }

    private record Placed(EgressRule rule, Source source) {}

    private final List<Placed> placed = new ArrayList<>();

    void add(EgressRule rule, Source source) {
        placed.add(new Placed(rule, source));
    }

    /// Adds what nobody wrote by hand. Two presets may need different paths of one host, of which
    /// only the first would be asked; they become one rule.
    ///
    /// @return whether the rule changes anything
    boolean join(EgressRule rule, Source source) {
        for (int i = 0; i < placed.size(); i++) {
            Placed earlier = placed.get(i);
            if (earlier.source() == source && differInPathsOnly(earlier.rule(), rule)) {
                EgressRule both = joined(earlier.rule(), rule);
                placed.set(i, new Placed(both, source));
                return !both.inspection().equals(earlier.rule().inspection());
            }
        }
        if (!coverOf(rule, Set.of(Source.values())).isEmpty()) {
            return false;
        }
        add(rule, source);
        return true;
    }

    /// The earlier rules that leave this one nothing to decide; empty when it decides something. A
    /// rule without ports says so itself.
    List<EgressRule> coverOf(EgressRule rule, Set<Source> sources) {
        Set<EgressRule> cover = new LinkedHashSet<>();
        for (int port : rule.ports()) {
            Optional<EgressRule> earlier =
                    placed.stream()
                            .filter(other -> sources.contains(other.source()))
                            .map(Placed::rule)
                            .filter(other -> other.host().covers(rule.host()))
                            .filter(other -> other.ports().contains(port))
                            .findFirst();
            if (earlier.isEmpty()) {
                return List.of();
            }
            cover.add(earlier.get());
        }
        return List.copyOf(cover);
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
