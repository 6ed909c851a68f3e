package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What `.sallyport.yaml` of a workspace says: `egress:`, and nothing else. An agent can write that
/// file, so nobody reads it for its rules before [TrustedFiles] knows its bytes (I7).
///
/// @param warnings what a person may want to know and nothing fails for
public record ProjectFile(List<EgressRule> rules, List<String> warnings) {
    public static final String NAME = ".sallyport.yaml";

    public ProjectFile {
        rules = List.copyOf(rules);
        warnings = List.copyOf(warnings);
    }

    /// Parses the very bytes whose digest was compared; the file is not read a second time.
    ///
    /// @param name what complaints and origins call the file
    /// @param gitHosts of the policy file; rules may not lead around the git door
    public static ProjectFile parse(
            byte[] content, Path name, List<GitHost> gitHosts, Machine machine) throws IOException {
        Optional<YamlMapping> yaml = StrictYaml.parse(name, content);
        if (yaml.isEmpty()) {
            return new ProjectFile(List.of(), List.of());
        }
        yaml.get().requireOnly(List.of("egress"));
        EgressRules egress =
                EgressRulesReader.read(
                        yaml.get().mappings("egress"),
                        new HostRuleReader(Optional.empty()),
                        gitHosts,
                        machine);
        return new ProjectFile(egress.rules(), egress.warnings());
    }
}
