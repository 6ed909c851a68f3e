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
    /// @param home the host that a person stores the secret for
    /// @param names of the service's own
    private record Service(HostName home, Set<HostName> names, Pages pages) {}

    /// @param paths whole ones, in their canonical spelling
    private record Pages(HostName host, Set<String> methods, Set<String> paths) {}

    /// What a Copilot client asks GitHub about its account. Not the pages that hand out tokens.
    private static final Service COPILOT =
            new Service(
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

    private static final List<Service> SERVICES = List.of(COPILOT);

    private SecretHosts() {}

    /// Whether a secret of this host may be sent to that one, with some requests at least.
    public static boolean reach(HostName home, HostName host) {
        return home.equals(host)
                || service(home)
                        .filter(s -> s.names.contains(host) || s.pages.host.equals(host))
                        .isPresent();
    }

    /// Whether it may be sent with this request.
    ///
    /// @param target path and query, as they go out
    public static boolean reach(HostName home, HostName host, String method, String target) {
        return home.equals(host)
                || service(home)
                        .filter(
                                s ->
                                        s.names.contains(host)
                                                || (s.pages.host.equals(host)
                                                        && s.pages.methods.contains(method)
                                                        && s.pages.paths.contains(path(target))))
                        .isPresent();
    }

    /// Whether every request of the rule may have a secret of this host.
    public static boolean reach(HostName home, EgressRule rule) {
        HostName host = rule.host().name();
        return home.equals(host)
                || service(home)
                        .filter(s -> !rule.host().isWildcard())
                        .filter(s -> s.names.contains(host) || isWithin(rule, s.pages))
                        .isPresent();
    }

    /// Whether the rule is about listed pages of a host that is somebody else's, and nothing else.
    static boolean arePages(EgressRule rule) {
        return SERVICES.stream().anyMatch(service -> isWithin(rule, service.pages));
    }

    /// Where a secret of this host goes besides, for people.
    public static List<String> besides(String home) {
        return SERVICES.stream()
                .filter(service -> service.home.value().equals(home))
                .flatMap(
                        s ->
                                Stream.concat(
                                        s.names.stream().map(HostName::value).sorted(),
                                        s.pages.paths.stream()
                                                .map(s.pages.host.value()::concat)
                                                .sorted()))
                .toList();
    }

    /// Whether this is a host of a service that has pages at that one.
    public static boolean isOfService(HostName host, HostName pagesAt) {
        return SERVICES.stream()
                .filter(service -> service.pages.host.equals(pagesAt))
                .anyMatch(s -> s.home.equals(host) || s.names.contains(host));
    }

    private static Optional<Service> service(HostName home) {
        return SERVICES.stream().filter(service -> service.home.equals(home)).findFirst();
    }

    private static String path(String target) {
        return target.split("\\?", 2)[0];
    }

    private static boolean isWithin(EgressRule rule, Pages pages) {
        Optional<Inspection> rules = rule.inspection().filter(i -> i.injection().isPresent());
        return rule.host().equals(new HostPattern(HostPattern.Breadth.EXACT, pages.host))
                && rules.flatMap(Inspection::methods).filter(pages.methods::containsAll).isPresent()
                && rules.flatMap(Inspection::paths)
                        .filter(
                                all ->
                                        all.stream()
                                                .allMatch(p -> pages.paths.contains(p.toString())))
                        .isPresent();
    }
}
