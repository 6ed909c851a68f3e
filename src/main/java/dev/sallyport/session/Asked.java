package dev.sallyport.session;

import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.RepoGrant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a person asked for when the sandbox was made, and gave it since: kept, so that a changed
/// `policy.yaml` can be held against it.
///
/// @param repos each as `[host/]owner/name[:read|:write]`
/// @param egress whether the rules of the file for other hosts hold
/// @param own the other rules: of presets and hosts that were asked for by name, and of a project
///   file that was trusted then
/// @param published ports of the host that lead into the sandbox
/// @param machine the other machine, if there is one: the gateway of a sandbox here, or the host of
///   a sandbox there, by the name that it has here
public record Asked(
        List<String> repos,
        boolean egress,
        List<EgressRule> own,
        List<PublishedPort> published,
        Optional<String> machine) {
    /// For a sandbox on the machine of its gateway.
    public Asked(
            List<String> repos,
            boolean egress,
            List<EgressRule> own,
            List<PublishedPort> published) {
        this(repos, egress, own, published, Optional.empty());
    }

    public Asked {
        repos = List.copyOf(repos);
        own = List.copyOf(own);
        published = List.copyOf(published);
    }

    /// For a session of an earlier Sallyport, which kept only what it got.
    static Asked like(List<RepoGrant> grants, Egress egress) {
        return new Asked(
                grants.stream().map(g -> g.repo().text() + ":" + g.access().label()).toList(),
                true,
                egress.rules().stream()
                        .filter(rule -> !rule.origin().contains("policy.yaml:"))
                        .filter(rule -> !rule.ports().isEmpty())
                        .toList(),
                List.of());
    }

    /// The same with more rules of its own, after the others.
    Asked and(List<EgressRule> more) {
        List<EgressRule> all = new ArrayList<>(own);
        all.addAll(more);
        return new Asked(repos, egress, all, published, machine);
    }

    Asked publishing(List<PublishedPort> ports) {
        return new Asked(repos, egress, own, ports, machine);
    }
}
