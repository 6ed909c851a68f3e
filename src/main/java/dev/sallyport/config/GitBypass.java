package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.Parsing;
import dev.sallyport.policy.UrlPath;
import dev.sallyport.policy.UrlPattern;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Whether a rule would lead around the git door: through it a sandbox could speak git with a git
/// host, and no grant would be asked.
public record GitBypass(Set<HostName> hosts) {
    /// What git asks for of a repository that no rule names.
    private static final List<UrlPath> REPOSITORY =
            Stream.of("info/refs", "git-upload-pack", "git-receive-pack")
                    .flatMap(call -> Stream.of("/owner/name/" + call, "/owner/name.git/" + call))
                    .map(call -> Parsing.known(call, UrlPath::parse))
                    .toList();

    public static GitBypass of(List<GitHost> hosts) {
        return new GitBypass(hosts.stream().map(GitHost::name).collect(Collectors.toSet()));
    }

    /// The git host that the rule leads to.
    public Optional<HostName> by(EgressRule rule) {
        return opensRepositories(rule)
                ? hosts.stream().filter(git -> leadsTo(rule, git)).sorted().findFirst()
                : Optional.empty();
    }

    /// A plain tunnel carries SSH as well, and hosts serve that under names below their own, such
    /// as ssh.github.com.
    private static boolean leadsTo(EgressRule rule, HostName git) {
        return rule.host().matches(git)
                || (rule.tcp()
                        && new HostPattern(HostPattern.Breadth.DOMAIN, git).covers(rule.host()));
    }

    private static boolean opensRepositories(EgressRule rule) {
        Optional<List<UrlPattern>> paths = rule.inspection().flatMap(Inspection::paths);
        return paths.isEmpty()
                || paths.get().stream().anyMatch(p -> REPOSITORY.stream().anyMatch(p::matches));
    }
}
