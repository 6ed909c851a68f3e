package dev.sallyport.config;

import dev.sallyport.config.RuleOrder.Source;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Makes [EgressRules] from `egress:`. Each entry can decide something: one that earlier ones cover
/// is an error, because a person who wrote it believes that it holds. What comes from the
/// configuration of another program is never an error, only a warning.
final class EgressRulesReader {
    private static final Set<Source> WRITTEN = Set.of(Source.FILE, Source.PRESET);

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
        EgressRule rule = reader.read(entry, entry.place());
        requireNoBypass(entry, "host", rule);
        List<EgressRule> written = order.coverOf(rule, WRITTEN);
        if (!written.isEmpty()) {
            throw neverDecides(entry, "host", written);
        }
        List<EgressRule> cover = order.coverOf(rule, Set.of(Source.values()));
        if (!cover.isEmpty()) {
            warnings.add(neverDecides(entry, "host", cover).getMessage());
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
            throw neverDecides(entry, "preset", coverOfAll(expansion.own()));
        }
    }

    private boolean fromTool(EgressRule rule) {
        Optional<HostName> host = bypass.by(rule);
        if (host.isPresent()) {
            warnings.add(rule.origin() + ": left out, because " + host.get() + " is a git host.");
            return false;
        }
        return order.join(rule, Source.TOOL);
    }

    /// @return whether no rule that a person or a preset wrote leaves it without effect
    private boolean own(YamlMapping entry, EgressRule rule) {
        if (order.join(rule, Source.PRESET)) {
            return true;
        }
        List<EgressRule> foreign = order.coverOf(rule, Set.of(Source.FILE, Source.TOOL));
        if (!foreign.isEmpty()) {
            warnings.add(
                    entry.place()
                            + ": in the preset, "
                            + rule.host()
                            + " has no effect: "
                            + origins(foreign)
                            + " covers it and comes first.");
        }
        return order.coverOf(rule, WRITTEN).isEmpty();
    }

    private List<EgressRule> coverOfAll(List<EgressRule> rules) {
        return rules.stream()
                .flatMap(rule -> order.coverOf(rule, WRITTEN).stream())
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
                    "Give paths that cover no repository, as in \"/*/*/releases/download/**\".");
        }
    }

    private static ConfigException neverDecides(
            YamlMapping entry, String key, List<EgressRule> cover) {
        return entry.problem(
                key,
                "has no effect: " + origins(cover) + " covers it and comes first.",
                "Move it before that entry, or remove one.");
    }

    private static String origins(List<EgressRule> rules) {
        return rules.stream().map(EgressRule::origin).collect(Collectors.joining(" and "));
    }
}
