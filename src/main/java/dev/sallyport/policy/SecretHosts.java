package dev.sallyport.policy;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Where a stored secret may go: to the host that it was stored for. A service with several names
/// is listed here, in the program, with each place that its secret may go to as well. No rule, no
/// host and no sandbox adds to the list (I2).
///
/// Such a place can be single pages of a host that belongs to somebody else: GitHub tells about
/// Copilot accounts at the address of its API, which is a door of its own in a session with a
/// repository. The pages of the list are then the only ones that do not go through that door.
public final class SecretHosts {
    /// The names of one service.
    ///
    /// @param home the host that a person stores the secret for
    /// @param names others that are its own
    private record Family(HostName home, Set<HostName> names, Pages pages) {}

    /// @param paths whole ones, in their canonical spelling
    private record Pages(HostName host, Set<String> methods, Set<String> paths) {
        boolean have(HostName asked, String method, String target) {
            return host.equals(asked)
                    && methods.contains(method)
                    && paths.contains(target.split("\\?", 2)[0]);
        }

        /// Whether the rule is about these and nothing else.
        boolean cover(EgressRule rule) {
            Optional<Inspection> rules = rule.inspection().filter(i -> i.injection().isPresent());
            List<String> asked =
                    rules.flatMap(Inspection::paths).orElse(List.of()).stream()
                            .map(UrlPattern::toString)
                            .toList();
            return rule.host().equals(new HostPattern(HostPattern.Breadth.EXACT, host))
                    && rules.flatMap(Inspection::methods).filter(methods::containsAll).isPresent()
                    && !asked.isEmpty()
                    && paths.containsAll(asked);
        }
    }

    /// What a Copilot client asks GitHub about its account. Not the pages that hand out tokens.
    private static final Family COPILOT =
            new Family(
                    new HostName("api.githubcopilot.com"),
                    Stream.of("individual", "business", "enterprise")
                            .map(plan -> new HostName("api." + plan + ".githubcopilot.com"))
                            .collect(Collectors.toUnmodifiableSet()),
                    new Pages(
                            new HostName("api.github.com"),
                            Set.of("GET"),
                            Set.of(
                                    "/copilot_internal/user",
                                    "/copilot_internal/managed_settings",
                                    "/copilot_internal/team_customizations")));

    private static final List<Family> FAMILIES = List.of(COPILOT);

    private SecretHosts() {}

    /// Whether a secret of this host may be sent to that one, with some requests at least.
    public static boolean reachInPart(HostName home, HostName host) {
        return home.equals(host)
                || family(home)
                        .filter(f -> f.names.contains(host) || f.pages.host.equals(host))
                        .isPresent();
    }

    /// Whether it may be sent with this request.
    ///
    /// @param target path and query, as they go out
    public static boolean reach(HostName home, HostName host, String method, String target) {
        return home.equals(host)
                || family(home)
                        .filter(f -> f.names.contains(host) || f.pages.have(host, method, target))
                        .isPresent();
    }

    /// Whether every request of the rule may have a secret of this host.
    public static boolean reach(HostName home, EgressRule rule) {
        HostName host = rule.host().name();
        return home.equals(host)
                || family(home)
                        .filter(_ -> !rule.host().isWildcard())
                        .filter(f -> f.names.contains(host) || f.pages.cover(rule))
                        .isPresent();
    }

    /// Whether the rule is about listed pages of a host that is somebody else's, and nothing else.
    static boolean arePages(EgressRule rule) {
        return FAMILIES.stream().anyMatch(family -> family.pages.cover(rule));
    }

    /// Where a secret of this host goes besides, for people.
    public static List<String> besides(String home) {
        return FAMILIES.stream()
                .filter(family -> family.home.value().equals(home))
                .flatMap(
                        family ->
                                Stream.concat(
                                        family.names.stream().map(HostName::value).sorted(),
                                        family.pages.paths.stream()
                                                .map(family.pages.host.value()::concat)
                                                .sorted()))
                .toList();
    }

    /// Whether this is a host of a service that has pages at that one.
    public static boolean isOfService(HostName host, HostName pagesAt) {
        return FAMILIES.stream()
                .filter(family -> family.pages.host.equals(pagesAt))
                .anyMatch(family -> family.home.equals(host) || family.names.contains(host));
    }

    private static Optional<Family> family(HostName home) {
        return FAMILIES.stream().filter(family -> family.home.equals(home)).findFirst();
    }
}
