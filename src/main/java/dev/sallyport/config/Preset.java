package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.UrlPattern;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A named bundle of rules for one purpose.
///
/// @param version counts the changes of what it allows
/// @param about what it is for, in one line
/// @param hostsFrom the tool whose configuration on this machine names further hosts
/// @param options what can be allowed in addition, by name: rules about JSON that then do not hold
/// @param rules what it allows on any machine
public record Preset(
        String name,
        int version,
        String about,
        Optional<Tool> hostsFrom,
        SortedMap<String, List<String>> options,
        List<EgressRule> rules) {
    public Preset {
        options = Collections.unmodifiableSortedMap(new TreeMap<>(options));
        rules = List.copyOf(rules);
    }

    /// The same with these of its options.
    Preset with(List<String> chosen) {
        List<String> lifted = chosen.stream().flatMap(o -> lifted(o).stream()).toList();
        return new Preset(
                name,
                version,
                about,
                hostsFrom,
                options,
                rules.stream()
                        .map(rule -> lifted.isEmpty() ? rule : without(rule, lifted))
                        .toList());
    }

    private List<String> lifted(String option) {
        return options.getOrDefault(option, List.of());
    }

    private static EgressRule without(EgressRule rule, List<String> lifted) {
        return new EgressRule(
                rule.host(),
                rule.ports(),
                rule.reach(),
                rule.inspection().map(i -> i.withJson(i.json().without(lifted))),
                rule.origin());
    }

    /// What requests to another host of the same kind may be.
    Inspection inspection(List<UrlPattern> paths) {
        Inspection first = rules.getFirst().inspection().orElseThrow();
        return first.withPaths(paths);
    }

    /// Whether its packages have scopes, whose slash its tool escapes.
    boolean hasScopes() {
        return hostsFrom.equals(Optional.of(Tool.NPM));
    }

    /// The paths that hosts of this kind have at their root.
    List<UrlPattern> paths() {
        return rules.stream()
                .filter(rule -> rule.host().isWildcard())
                .flatMap(rule -> rule.inspection().flatMap(Inspection::paths).stream())
                .flatMap(List::stream)
                .distinct()
                .toList();
    }
}
