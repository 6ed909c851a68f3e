package dev.sallyport.config;

import dev.sallyport.config.EgressRulesReader.RuleOrder.Source;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.UrlPattern;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Makes [EgressRules] from `egress:`. Each entry can decide something: one that earlier ones cover
/// is an error, because a person who wrote it believes that it holds; so is one without `ports`
/// that they cover on one of the usual ones, such as a host after a preset that injects its key on
/// port 443. With `ports` that is a warning. What comes from the configuration of another program
/// is never an error, only a warning.
final class EgressRulesReader {
    private static final Set<Source> WRITTEN = Set.of(Source.FILE, Source.PRESET);
    private static final Set<Source> ALL = Set.of(Source.values());

    private final HostRuleReader reader;
    private final GitBypass bypass;
    private final Machine machine;
    private final RuleOrder order = new RuleOrder();
    private final List<String> warnings = new ArrayList<>();

    private EgressRulesReader(HostRuleReader reader, GitBypass bypass, Machine machine) {
        this.reader = reader;
        this.bypass = bypass;
        this.machine = machine;
    }

    static EgressRules read(
            List<YamlMapping> entries,
            HostRuleReader reader,
            List<GitHost> gitHosts,
            Machine machine)
            throws IOException {
        EgressRulesReader rules = new EgressRulesReader(reader, GitBypass.of(gitHosts), machine);
        for (YamlMapping entry : entries) {
            if (entry.has("preset")) {
                rules.preset(entry);
            } else {
                rules.host(entry);
            }
        }
        return new EgressRules(rules.order.rules(), rules.warnings);
    }

    private void host(YamlMapping entry) throws IOException {
        boolean tcp = entry.has(HostRuleReader.TCP);
        String key = tcp ? HostRuleReader.TCP : "host";
        EgressRule rule =
                tcp ? reader.readTcp(entry, entry.place()) : reader.read(entry, entry.place());
        requireNoBypass(entry, key, rule);
        RuleOrder.Cover written = order.coverOf(rule, WRITTEN);
        boolean usualPorts = !entry.has("ports") && !written.isNone();
        if (written.whole() || usualPorts) {
            throw neverDecides(entry, key, written);
        }
        RuleOrder.Cover cover = order.coverOf(rule, ALL);
        if (!cover.isNone()) {
            warnings.add(neverDecides(entry, key, cover).getMessage());
        }
        order.add(rule, Source.FILE);
    }

    private void preset(YamlMapping entry) throws IOException {
        entry.requireOnly(List.of("preset"));
        String name = entry.requiredText("preset");
        Optional<Preset> preset;
        try {
            preset = Presets.find(name);
        } catch (ConfigException e) {
            throw entry.problem("preset", "is not known: " + e.problem(), e.remedy());
        }
        if (preset.isEmpty()) {
            throw entry.problem(
                    "preset",
                    "is not known.",
                    "Write one of: " + String.join(", ", Presets.names()) + ".");
        }
        PresetExpansion expansion = PresetExpansion.of(preset.get(), machine, entry.place());
        warnings.addAll(expansion.warnings());
        boolean decides = expansion.own().isEmpty();
        for (EgressRule rule : expansion.fromTool()) {
            decides |= fromTool(rule);
        }
        for (EgressRule rule : expansion.own()) {
            requireNoBypass(entry, "preset", rule);
            decides |= own(entry, rule);
        }
        if (!decides) {
            throw entry.problem(
                    "preset",
                    "has no effect: "
                            + origins(coverOfAll(expansion.own()))
                            + " covers it and comes first.",
                    "Move it before that rule, or remove one.");
        }
    }

    private boolean fromTool(EgressRule rule) {
        Optional<HostName> host = bypass.by(rule);
        if (host.isPresent()) {
            warnings.add(rule.origin() + ": left out, because " + host.get() + " is a git host.");
            return false;
        }
        return switch (order.join(rule, Source.TOOL)) {
            case ADDED, WIDENED -> true;
            case KNOWN, COVERED -> false;
        };
    }

    /// @return whether no rule that a person or a preset wrote leaves it without effect
    private boolean own(YamlMapping entry, EgressRule rule) {
        RuleOrder.Cover cover = order.coverOf(rule, ALL);
        return switch (order.join(rule, Source.PRESET)) {
            case WIDENED -> true;
            case KNOWN -> false;
            case ADDED -> {
                warnOf(entry, rule, cover);
                yield true;
            }
            case COVERED -> {
                warnOf(entry, rule, cover);
                yield !order.coverOf(rule, WRITTEN).whole();
            }
        };
    }

    private void warnOf(YamlMapping entry, EgressRule rule, RuleOrder.Cover cover) {
        if (!cover.isNone()) {
            warnings.add(
                    entry.place() + ": in the preset, " + rule.host() + " " + hasNoEffect(cover));
        }
    }

    private List<EgressRule> coverOfAll(List<EgressRule> rules) {
        return rules.stream()
                .flatMap(rule -> order.coverOf(rule, WRITTEN).rules().stream())
                .distinct()
                .toList();
    }

    private void requireNoBypass(YamlMapping entry, String key, EgressRule rule)
            throws ConfigException {
        Optional<HostName> host = bypass.by(rule);
        if (host.isPresent()) {
            throw entry.problem(
                    key,
                    "reaches the git host " + host.get() + " and would bypass its git rules.",
                    key.equals(HostRuleReader.TCP)
                            ? "Grant repositories with git: instead, or use a name that is not below that host."
                            : "Give paths that cover no repository, as in \"/*/*/releases/download/**\".");
        }
    }

    private static ConfigException neverDecides(
            YamlMapping entry, String key, RuleOrder.Cover cover) {
        return entry.problem(
                key,
                hasNoEffect(cover),
                "Move it before that rule, or remove one"
                        + (cover.whole() ? "." : ", or write the other ports under ports:."));
    }

    private static String hasNoEffect(RuleOrder.Cover cover) {
        return "has no effect"
                + (cover.whole() ? "" : " on port " + ports(cover))
                + ": "
                + origins(cover.rules())
                + " covers it and comes first.";
    }

    private static String ports(RuleOrder.Cover cover) {
        return cover.ports().stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static String origins(List<EgressRule> rules) {
        return rules.stream().map(EgressRule::origin).collect(Collectors.joining(" and "));
    }

    /// What a preset comes to on one machine.
    ///
    /// @param fromTool rules for the hosts that the person's own tool is configured with
    /// @param own the preset's rules, unless that configuration replaces them
    private record PresetExpansion(
            List<EgressRule> fromTool, List<EgressRule> own, List<String> warnings) {
        /// A person configured these hosts here, so they may be in a private network.
        private static final Reach OWN_NETWORK =
                new Reach(true, Optional.empty(), Optional.empty());

        /// @param place of the entry that names the preset
        static PresetExpansion of(Preset preset, Machine machine, String place) {
            ToolReading.ToolHosts hosts =
                    preset.hostsFrom()
                            .map(tool -> tool.read(machine))
                            .orElse(ToolReading.ToolHosts.NONE);
            List<ToolHost> others =
                    hosts.hosts().stream().filter(host -> !isPublic(preset, host)).toList();
            boolean publicNamed = others.size() < hosts.hosts().size();
            List<EgressRule> own =
                    hosts.replacesDefault() && !publicNamed
                            ? List.of()
                            : preset.rules().stream().map(rule -> at(place, preset, rule)).toList();
            return new PresetExpansion(
                    others.stream().map(host -> rule(place, preset, host)).toList(),
                    own,
                    hosts.warnings());
        }

        /// Whether the preset allows the host anyway, and public addresses only.
        private static boolean isPublic(Preset preset, ToolHost host) {
            return preset.rules().stream().anyMatch(rule -> rule.host().matches(host.host()));
        }

        private static EgressRule at(String place, Preset preset, EgressRule rule) {
            return new EgressRule(
                    rule.host(),
                    rule.ports(),
                    rule.reach(),
                    rule.inspection(),
                    place + " (preset " + preset.name() + ")");
        }

        private static EgressRule rule(String place, Preset preset, ToolHost host) {
            List<UrlPattern> paths =
                    host.below()
                            .map(below -> preset.hasScopes() ? below.withScopes() : List.of(below))
                            .orElseGet(preset::paths);
            return new EgressRule(
                    new HostPattern(HostPattern.Breadth.EXACT, host.host()),
                    new TreeSet<>(Set.of(host.port())),
                    OWN_NETWORK,
                    Optional.of(preset.inspection(paths)),
                    place + " (preset " + preset.name() + ", " + host.place() + ")");
        }
    }

    /// Rules in the order in which they are asked: the first that covers host and port decides.
    static final class RuleOrder {
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

        /// Adds what nobody wrote by hand. Two presets may need different paths of one host, of
        /// which only the first would be asked; they become one rule.
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
}
