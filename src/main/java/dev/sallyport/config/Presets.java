package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The presets that Sallyport brings along, each a file that is read as strictly as a policy.
public final class Presets {
    private static final List<String> NAMES =
            List.of(
                    "npm",
                    "pypi",
                    "maven",
                    "gradle",
                    "cargo",
                    "go",
                    "rubygems",
                    "debian",
                    "github-release",
                    "anthropic",
                    "anthropic-token",
                    "openai",
                    "gemini");

    private static final int VERSION_MAX = 1_000;

    /// A preset is the same on every machine: it names no file, address or private network.
    private static final List<String> RULE_KEYS =
            HostRuleReader.KEYS.stream()
                    .filter(key -> !List.of("private-addresses", "dial", "ca-file").contains(key))
                    .toList();

    private Presets() {}

    public static List<String> names() {
        return NAMES;
    }

    public static Optional<Preset> find(String name) throws IOException {
        return NAMES.contains(name) ? Optional.of(load(name)) : Optional.empty();
    }

    public static List<Preset> all() throws IOException {
        List<Preset> presets = new ArrayList<>();
        for (String name : NAMES) {
            presets.add(load(name));
        }
        return presets;
    }

    private static Preset load(String name) throws IOException {
        String file = "presets/" + name + ".yaml";
        try (InputStream in = Presets.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new ConfigException(
                        "The preset " + name + " is not in this program.", "Install it again.");
            }
            return parse(name, Path.of(file), in.readAllBytes());
        }
    }

    static Preset parse(String name, Path file, byte[] content) throws IOException {
        YamlMapping yaml =
                StrictYaml.parse(file, content)
                        .orElseThrow(() -> new ConfigException(file + " is empty.", "Fill it."));
        yaml.requireOnly(List.of("version", "about", "hosts-from", "rules"));
        int version = Math.toIntExact(yaml.number("version", 1, VERSION_MAX).orElse(0));
        if (version == 0) {
            throw yaml.problem("version", "is missing.", "Add it.");
        }
        return new Preset(
                name,
                version,
                yaml.requiredText("about"),
                hostsFrom(yaml),
                rules(name, yaml.mappings("rules")));
    }

    private static Optional<Tool> hostsFrom(YamlMapping yaml) throws ConfigException {
        Optional<String> label = yaml.text("hosts-from");
        Optional<Tool> tool = label.flatMap(Tool::of);
        if (label.isPresent() && tool.isEmpty()) {
            throw yaml.problem("hosts-from", "is not a tool.", "Write npm, pip or another one.");
        }
        return tool;
    }

    private static List<EgressRule> rules(String name, List<YamlMapping> entries)
            throws IOException {
        HostRuleReader reader = new HostRuleReader(Optional.empty());
        List<EgressRule> rules = new ArrayList<>();
        for (YamlMapping entry : entries) {
            entry.requireOnly(RULE_KEYS);
            EgressRule rule = reader.read(entry, "preset " + name);
            if (rule.inspection().flatMap(inspection -> inspection.paths()).isEmpty()) {
                throw entry.problem("paths", "is missing.", "Say what the preset is for.");
            }
            rules.add(rule);
        }
        return rules;
    }
}
