package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.UrlPattern;
import java.util.List;
import java.util.Optional;

/// A named bundle of rules for one purpose.
///
/// @param version counts the changes of what it allows
/// @param about what it is for, in one line
/// @param hostsFrom the tool whose configuration on this machine names further hosts
/// @param rules what it allows on any machine
public record Preset(
        String name, int version, String about, Optional<Tool> hostsFrom, List<EgressRule> rules) {
    public Preset {
        rules = List.copyOf(rules);
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
