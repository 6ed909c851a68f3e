package dev.sallyport.config;

import dev.sallyport.policy.Egress;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.RepoPattern;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

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
        YamlMapping yaml = StrictYaml.policy(file);
        yaml.requireOnly(
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
        YamlMapping limits = yaml.part("limits");
        List<GitHost> hosts = hosts(file, yaml);
        EgressRules egress =
                EgressRulesReader.read(
                        yaml.mappings("egress"),
                        new HostRuleReader(Optional.of(file)),
                        hosts,
                        machine);
        return new PolicyFile(
                hosts,
                GitRulesReader.read(yaml.mappings("git"), hosts),
                new Egress(egress.rules(), false),
                yaml.mapping("resolver", resolver -> SecureResolver.read(file, resolver)),
                LimitsReader.read(limits),
                egress.warnings(),
                yaml.mapping("secrets", secrets -> AgeKey.read(file, secrets)),
                SessionLimits.read(yaml.part("sessions")),
                GitSettings.read(yaml.part("sandbox")),
                AuditLimits.read(file, yaml.part("audit")),
                Reports.read(file, yaml),
                yaml.mapping(StorePlace.KEY, store -> StorePlace.read(file, store)),
                yaml.mapping(KubernetesPlace.KEY, pods -> KubernetesPlace.read(file, pods)));
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

    /// Makes a [GitHost] from one entry of `hosts:` in a policy file.
    static final class GitHostReader {
        static GitHost read(Path file, YamlMapping entry) throws IOException {
            entry.requireOnly(List.of("name", "kind", "ca-file", "dial"));
            HostName name = name(entry);
            HostKind kind = kind(entry);
            return new GitHost(name, kind, CaFile.read(file, entry), DialAddress.read(entry));
        }

        private static HostName name(YamlMapping entry) throws ConfigException {
            try {
                HostName name = HostName.parse(entry.requiredText("name"));
                if (name.value().endsWith(".sallyport")) {
                    throw entry.problem(
                            "name",
                            "is reserved for Sallyport.",
                            "Use the name of the git host itself.");
                }
                return name;
            } catch (MalformedNameException e) {
                throw entry.problem(
                        "name",
                        "is not a host name: " + e.getMessage() + ".",
                        "Write it in lower case, as in git.corp.example.");
            }
        }

        private static HostKind kind(YamlMapping entry) throws ConfigException {
            entry.requiredText("kind");
            String labels =
                    Arrays.stream(HostKind.values())
                            .map(HostKind::label)
                            .collect(Collectors.joining(", "));
            String remedy = "Write one of: " + labels + ".";
            return entry.word("kind", HostKind.class, "is not a known kind of host.", remedy)
                    .orElseThrow();
        }
    }

    /// Makes [Limits] from the `limits:` of a policy file. The keys are the names of the record's
    /// own components, so that a limit cannot exist in code and be missing in the file.
    static final class LimitsReader {
        static Limits read(YamlMapping yaml) throws ConfigException {
            List<Object> groups = new ArrayList<>();
            RecordComponent[] components = Limits.class.getRecordComponents();
            yaml.requireOnly(Arrays.stream(components).map(c -> kebab(c.getName())).toList());
            for (RecordComponent component : components) {
                Object standard = value(component, Limits.standard());
                groups.add(group(component, standard, yaml.part(kebab(component.getName()))));
            }
            Limits limits = (Limits) make(Limits.class, groups);
            requireShares(yaml, limits.sharing());
            return limits;
        }

        private static Object group(RecordComponent group, Object standard, YamlMapping yaml)
                throws ConfigException {
            RecordComponent[] components = group.getType().getRecordComponents();
            yaml.requireOnly(Arrays.stream(components).map(c -> kebab(c.getName())).toList());
            List<Object> values = new ArrayList<>();
            for (RecordComponent component : components) {
                String key = kebab(component.getName());
                Optional<Long> chosen = yaml.number(key, range(component));
                boolean isInt = component.getType() == int.class;
                values.add(
                        chosen.map(number -> isInt ? (Object) Math.toIntExact(number) : number)
                                .orElse(value(component, standard)));
            }
            return make(group.getType(), values);
        }

        /// One sandbox's share cannot exceed the whole: it would be the only one left with any.
        private static void requireShares(YamlMapping yaml, Limits.Sharing sharing)
                throws ConfigException {
            if (sharing.connectionsPerSandboxMax() > sharing.connectionsTotalMax()
                    || sharing.requestsInFlightPerSandboxMax()
                            > sharing.requestsInFlightTotalMax()) {
                throw yaml.problem(
                        "sharing",
                        "a sandbox's share is larger than the total.",
                        "Raise the -total- value or lower the -per-sandbox- value.");
            }
        }

        static LimitRange range(RecordComponent limit) {
            Limits.Range range = limit.getAnnotation(Limits.Range.class);
            if (range == null) {
                throw new AssertionError("the limit " + limit + " has no range");
            }
            return new LimitRange(range.min(), range.max());
        }

        static String kebab(String camelCase) {
            return camelCase.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        }

        static Object value(RecordComponent component, Object owner) {
            try {
                return component.getAccessor().invoke(owner);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(e.getMessage(), e);
            }
        }

        private static Object make(Class<?> type, List<Object> values) {
            Class<?>[] types =
                    Arrays.stream(type.getRecordComponents())
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new);
            try {
                return type.getDeclaredConstructor(types).newInstance(values.toArray());
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(e.getMessage(), e);
            }
        }
    }
}
