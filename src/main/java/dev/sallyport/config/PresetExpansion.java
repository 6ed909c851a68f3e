package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.UrlPattern;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What a preset comes to on one machine.
///
/// @param fromTool rules for the hosts that the person's own tool is configured with
/// @param own the preset's rules, unless that configuration replaces them
record PresetExpansion(List<EgressRule> fromTool, List<EgressRule> own, List<String> warnings) {
    /// A person configured these hosts here, so they may be in a private network.
    private static final Reach OWN_NETWORK = new Reach(true, Optional.empty(), Optional.empty());

    /// @param place of the entry that names the preset
    static PresetExpansion of(Preset preset, Machine machine, String place) {
        ToolHosts hosts = preset.hostsFrom().map(tool -> tool.read(machine)).orElse(ToolHosts.NONE);
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
