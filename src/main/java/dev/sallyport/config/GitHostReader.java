package dev.sallyport.config;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Makes a [GitHost] from one entry of `hosts:` in a policy file.
final class GitHostReader {
    private GitHostReader() {}

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
        Optional<HostKind> kind = HostKind.of(entry.requiredText("kind"));
        if (kind.isPresent()) {
            return kind.get();
        }
        String labels =
                Arrays.stream(HostKind.values())
                        .map(HostKind::label)
                        .collect(Collectors.joining(", "));
        throw entry.problem(
                "kind", "is not a known kind of host.", "Write one of: " + labels + ".");
    }
}
