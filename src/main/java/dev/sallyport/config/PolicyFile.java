package dev.sallyport.config;

import dev.sallyport.policy.Egress;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.RepoPattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What `policy.yaml` says, or the defaults when there is none. `docs/protocol/policy.md` is the
/// reference.
///
/// @param hosts the git hosts that may be granted; github.com is always among them
/// @param git the rules of repositories, in the order of the file; none covers a later one
/// @param egress what every sandbox may reach besides git
/// @param resolver who turns names into addresses; absent for the system's own
/// @param warnings what a person may want to know and nothing fails for
/// @param key what secrets lie encrypted to; absent when they lie plain
/// @param sessions how long sessions may live at most
/// @param inside how git is set up in every sandbox
/// @param audit how much of the record is kept
/// @param reports what the daemon tells others by itself
/// @param store the database that keeps the sessions; absent for a file of this machine
/// @param kubernetes the cluster whose pods may come; absent when none may
public record PolicyFile(
        List<GitHost> hosts,
        List<GitRule> git,
        Egress egress,
        Optional<SecureResolver> resolver,
        Limits limits,
        List<String> warnings,
        Optional<AgeKey> key,
        SessionLimits sessions,
        GitSettings inside,
        AuditLimits audit,
        Reports reports,
        Optional<StorePlace> store,
        Optional<KubernetesPlace> kubernetes) {
    public PolicyFile {
        hosts = List.copyOf(hosts);
        git = List.copyOf(git);
        warnings = List.copyOf(warnings);
    }

    public static PolicyFile load(Path file) throws IOException {
        return load(file, Machine.current());
    }

    /// Reads the file as it is meant on one machine.
    ///
    /// @param machine whose tools are configured with further hosts, which presets take up
    public static PolicyFile load(Path file, Machine machine) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return standard();
        }
        Ownership.requireUnforgeableFile(file);
        Optional<YamlMapping> yaml = StrictYaml.read(file);
        if (yaml.isEmpty()) {
            return standard();
        }
        yaml.get()
                .requireOnly(
                        List.of(
                                "hosts",
                                "git",
                                "egress",
                                "resolver",
                                "limits",
                                "secrets",
                                "sessions",
                                "sandbox",
                                "audit",
                                Reports.APPROVALS,
                                Reports.METRICS,
                                StorePlace.KEY,
                                KubernetesPlace.KEY));
        Optional<YamlMapping> limits = yaml.get().mapping("limits");
        List<GitHost> hosts = hosts(file, yaml.get());
        EgressRules egress =
                EgressRulesReader.read(
                        yaml.get().mappings("egress"),
                        new HostRuleReader(Optional.of(file)),
                        hosts,
                        machine);
        return new PolicyFile(
                hosts,
                GitRulesReader.read(yaml.get().mappings("git"), hosts),
                new Egress(egress.rules(), false),
                SecureResolver.read(file, yaml.get().mapping("resolver")),
                limits.isPresent() ? LimitsReader.read(limits.get()) : Limits.standard(),
                egress.warnings(),
                AgeKey.read(file, yaml.get().mapping("secrets")),
                SessionLimits.read(yaml.get().mapping("sessions")),
                GitSettings.read(yaml.get().mapping("sandbox")),
                AuditLimits.read(file, yaml.get().mapping("audit")),
                Reports.read(file, yaml.get()),
                StorePlace.read(file, yaml.get().mapping(StorePlace.KEY)),
                KubernetesPlace.read(file, yaml.get().mapping(KubernetesPlace.KEY)));
    }

    private static PolicyFile standard() {
        return new PolicyFile(
                List.of(GitHost.GITHUB),
                List.of(),
                Egress.NONE,
                Optional.empty(),
                Limits.standard(),
                List.of(),
                Optional.empty(),
                SessionLimits.standard(),
                GitSettings.STANDARD,
                AuditLimits.standard(),
                Reports.NONE,
                Optional.empty(),
                Optional.empty());
    }

    private static List<GitHost> hosts(Path file, YamlMapping yaml) throws IOException {
        List<GitHost> hosts = new ArrayList<>();
        for (YamlMapping entry : yaml.mappings("hosts")) {
            GitHost host = GitHostReader.read(file, entry);
            if (hosts.stream().anyMatch(other -> other.name().equals(host.name()))) {
                throw entry.problem("name", "is already listed.", "Remove one.");
            }
            hosts.add(host);
        }
        if (hosts.stream().noneMatch(host -> host.name().equals(GitHost.GITHUB.name()))) {
            hosts.addFirst(GitHost.GITHUB);
        }
        return hosts;
    }

    public Optional<GitHost> host(HostName name) {
        return hosts.stream().filter(host -> host.name().equals(name)).findFirst();
    }

    /// The rule that holds for all of what is asked for: the first that covers it.
    public Optional<GitRule> rule(RepoPattern asked) {
        return git.stream().filter(rule -> rule.grant().repo().covers(asked)).findFirst();
    }

    /// The rules for single repositories among those that a wildcard means.
    public List<GitRule> rulesWithin(RepoPattern wildcard) {
        return git.stream()
                .filter(rule -> !rule.grant().repo().isWildcard())
                .filter(rule -> wildcard.covers(rule.grant().repo()))
                .toList();
    }
}
