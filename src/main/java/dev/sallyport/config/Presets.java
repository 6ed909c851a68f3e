package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonRules;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

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
                    "vertex",
                    "bedrock",
                    "openai",
                    "chatgpt",
                    "gemini",
                    "google-login",
                    "copilot");

    /// Stands in a preset for what its provider calls a region, an option of its own.
    static final String REGION = "${region}";

    private static final Pattern REGION_NAME =
            Pattern.compile("[a-z]{2}(-[a-z]{2,12}){1,3}-[0-9]{1,2}");
    private static final String REGION_USUAL = "us-east-1";

    /// A preset is the same on every machine: it names no file, address or private network.
    private static final List<String> RULE_KEYS =
            HostRuleReader.KEYS.stream()
                    .filter(key -> !List.of("private-addresses", "dial", "ca-file").contains(key))
                    .toList();

    private Presets() {}

    public static List<String> names() {
        return NAMES;
    }

    /// Empty when no preset has this name.
    ///
    /// @param name with options behind it, if any are wanted: `openai+web-search`,
    ///   `bedrock+eu-west-1`
    public static Optional<Preset> find(String name) throws IOException {
        List<String> words = List.of(name.split("\\+", -1));
        if (!NAMES.contains(words.getFirst())) {
            return Optional.empty();
        }
        List<String> options = new ArrayList<>(words.subList(1, words.size()));
        Preset preset = load(words.getFirst(), region(words.getFirst(), options));
        for (String option : options) {
            if (!preset.options().containsKey(option)) {
                throw new ConfigException(
                        "The preset " + preset.name() + " has no option " + option + ".",
                        preset.options().isEmpty()
                                ? "Write " + preset.name() + "."
                                : "Choose from: "
                                        + String.join(", ", preset.options().keySet())
                                        + ".");
            }
        }
        return Optional.of(preset.with(options));
    }

    public static List<Preset> all() throws IOException {
        List<Preset> presets = new ArrayList<>();
        for (String name : NAMES) {
            presets.add(load(name, REGION_USUAL));
        }
        return presets;
    }

    /// Takes the region out of the options, if the preset is for one at a time.
    private static String region(String name, List<String> options) throws IOException {
        Optional<String> region = options.stream().filter(Presets::isRegion).findFirst();
        if (region.isEmpty() || !isRegional(name)) {
            return REGION_USUAL;
        }
        options.remove(region.get());
        return region.get();
    }

    /// Whether the preset of this name is for one region at a time.
    public static boolean isRegional(String name) throws IOException {
        return hasRegion(text(name));
    }

    /// Whether the text is for any region.
    public static boolean hasRegion(String text) {
        return text.contains(REGION);
    }

    /// The text for one region. What stands for a second one stays.
    public static String inUsualRegion(String text) {
        int at = text.indexOf(REGION);
        return at < 0
                ? text
                : text.substring(0, at) + REGION_USUAL + text.substring(at + REGION.length());
    }

    static boolean isRegion(String text) {
        return REGION_NAME.matcher(text).matches();
    }

    private static Preset load(String name, String region) throws IOException {
        byte[] content = text(name).replace(REGION, region).getBytes(StandardCharsets.UTF_8);
        return parse(name, Path.of("presets/" + name + ".yaml"), content);
    }

    private static String text(String name) throws IOException {
        return new String(StrictYaml.bundled("presets/" + name + ".yaml"), StandardCharsets.UTF_8);
    }

    static Preset parse(String name, Path file, byte[] content) throws IOException {
        YamlMapping yaml = StrictYaml.required(file, content);
        yaml.requireOnly(List.of("version", "about", "hosts-from", "also", "options", "rules"));
        int version = yaml.version();
        List<EgressRule> rules = rules(name, yaml.mappings("rules"));
        rules.addAll(also(yaml, rules));
        return new Preset(
                name,
                version,
                yaml.requiredText("about"),
                hostsFrom(yaml),
                options(yaml, rules),
                rules);
    }

    /// The first rule once more for other names of the same service.
    private static List<EgressRule> also(YamlMapping yaml, List<EgressRule> rules)
            throws ConfigException {
        return yaml.list("also", HostPattern::parse, "api.example.com").orElse(List.of()).stream()
                .map(
                        host ->
                                new EgressRule(
                                        host,
                                        rules.getFirst().ports(),
                                        rules.getFirst().reach(),
                                        rules.getFirst().inspection(),
                                        rules.getFirst().origin()))
                .toList();
    }

    private static SortedMap<String, List<String>> options(YamlMapping yaml, List<EgressRule> rules)
            throws ConfigException {
        SortedMap<String, List<String>> options = new TreeMap<>();
        Optional<YamlMapping> named = yaml.mapping("options");
        if (named.isEmpty()) {
            return options;
        }
        for (String option : named.get().keys()) {
            List<String> lifted =
                    named.get().list(option, text -> text, "type=web_search*").orElse(List.of());
            for (String text : lifted) {
                if (rules.stream().noneMatch(rule -> has(rule, text))) {
                    throw named.get().problem(option, "lifts no rule: " + text, "Correct it.");
                }
            }
            options.put(option, lifted);
        }
        return options;
    }

    private static boolean has(EgressRule rule, String text) {
        JsonRules json = rule.inspection().map(Inspection::json).orElse(JsonRules.NONE);
        return !json.without(List.of(text)).equals(json);
    }

    private static Optional<Tool> hostsFrom(YamlMapping yaml) throws ConfigException {
        return yaml.word(
                "hosts-from", Tool.class, "is not a tool.", "Write npm, pip or another one.");
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
