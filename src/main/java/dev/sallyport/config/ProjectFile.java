package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What `.sallyport.yaml` of a workspace says: `egress:` and `sandbox:`, and nothing else. An agent
/// can write that file, so nobody reads it for its rules before [TrustedFiles] knows its bytes
/// (I7).
///
/// @param inside how git is set up in sandboxes of this workspace
/// @param warnings what a person may want to know and nothing fails for
public record ProjectFile(List<EgressRule> rules, GitSettings inside, List<String> warnings) {
    /// What holds without such a file.
    public static final ProjectFile NONE =
            new ProjectFile(List.of(), GitSettings.STANDARD, List.of());

    public static final String NAME = ".sallyport.yaml";

    public ProjectFile {
        rules = List.copyOf(rules);
        warnings = List.copyOf(warnings);
    }

    /// The bytes of such a file; empty when there is none, or something else of that name. A link
    /// is not followed. Of a file that is too large just enough is read that it is neither parsed
    /// nor trusted.
    public static Optional<byte[]> read(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.of(in.readNBytes(StrictYaml.BYTES_MAX + 1));
        }
    }

    /// Parses the very bytes whose digest was compared; the file is not read a second time.
    ///
    /// @param name what complaints and origins call the file
    /// @param gitHosts of the policy file; rules may not lead around the git door
    public static ProjectFile parse(
            byte[] content, Path name, List<GitHost> gitHosts, Machine machine) throws IOException {
        YamlMapping yaml = StrictYaml.parse(name, content).orElse(YamlMapping.empty(name, ""));
        yaml.requireOnly(List.of("egress", "sandbox"));
        EgressRules egress =
                EgressRulesReader.read(
                        yaml.mappings("egress"),
                        new HostRuleReader(Optional.empty()),
                        gitHosts,
                        machine);
        return new ProjectFile(
                egress.rules(), GitSettings.read(yaml.part("sandbox")), egress.warnings());
    }
}
