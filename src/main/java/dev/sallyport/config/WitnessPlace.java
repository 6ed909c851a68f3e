package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Where somebody else keeps how far the record went; `witness:` under `audit:` of a policy file.
public sealed interface WitnessPlace {
    /// A file, best on another disk.
    record InFile(Path file) implements WitnessPlace {}

    /// What takes them by HTTP.
    record AtUrl(PostUrl url) implements WitnessPlace {}

    /// Reads it; empty when there is none.
    ///
    /// @param policy the policy file
    static Optional<WitnessPlace> read(Path policy, Optional<YamlMapping> entry)
            throws IOException {
        if (entry.isEmpty()) {
            return Optional.empty();
        }
        YamlMapping yaml = entry.get();
        if (yaml.has("file")) {
            yaml.requireOnly(List.of("file"));
            Path file = Path.of(yaml.requiredText("file"));
            if (!file.isAbsolute()) {
                throw yaml.problem(
                        "file", "is not an absolute path.", "Write it with a leading /.");
            }
            return Optional.of(new InFile(file.normalize()));
        }
        yaml.requireOnly(PostUrl.KEYS);
        return Optional.of(new AtUrl(PostUrl.read(policy, yaml, "a witness")));
    }
}
