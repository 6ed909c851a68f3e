package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Where somebody else keeps how far the record went; `witness:` under `audit:` of a policy file.
public sealed interface WitnessPlace {
    /// A file, best on another disk.
    record InFile(Path file) implements WitnessPlace {}

    /// What takes them by HTTP.
    record AtUrl(PostUrl url) implements WitnessPlace {}

    /// As a policy file says it.
    ///
    /// @param policy the policy file
    static WitnessPlace read(Path policy, YamlMapping yaml) throws IOException {
        if (yaml.has("file")) {
            yaml.requireOnly(List.of("file"));
            Path file = Path.of(yaml.requiredText("file"));
            if (!file.isAbsolute()) {
                throw yaml.problem(
                        "file", "is not an absolute path.", "Write it with a leading /.");
            }
            return new InFile(file.normalize());
        }
        yaml.requireOnly(PostUrl.KEYS);
        return new AtUrl(PostUrl.read(policy, yaml, "a witness"));
    }
}
