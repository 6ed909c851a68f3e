package dev.sallyport.config;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Reach;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where somebody else keeps how far the record went; `witness:` under `audit:` of a policy file.
public sealed interface WitnessPlace {
    /// A file, best on another disk.
    record InFile(Path file) implements WitnessPlace {}

    /// What takes them by HTTP.
    record AtUrl(HostName host, int port, boolean tls, String path, Reach reach)
            implements WitnessPlace {}

    private static Optional<Matcher> url(String text) {
        Matcher matcher =
                Pattern.compile("(https?)://([^/?#:@\\[\\]]+)(?::([1-9][0-9]{0,4}))?(/[!-~]*)")
                        .matcher(text);
        boolean fits =
                matcher.matches()
                        && text.indexOf('#') < 0
                        && (matcher.group(3) == null
                                || Integer.parseInt(matcher.group(3)) < 65_536);
        return fits ? Optional.of(matcher) : Optional.empty();
    }

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
        yaml.requireOnly(List.of("url", "dial", "ca-file"));
        return Optional.of(atUrl(policy, yaml));
    }

    private static AtUrl atUrl(Path policy, YamlMapping yaml) throws IOException {
        Optional<Matcher> found = url(yaml.requiredText("url"));
        try {
            Matcher url = found.orElseThrow(() -> new MalformedNameException("not a URL"));
            boolean tls = url.group(1).equals("https");
            int port = tls ? 443 : 80;
            // A person wrote it, so it may be in a private network.
            Reach reach = new Reach(true, DialAddress.read(yaml), CaFile.read(policy, yaml));
            return new AtUrl(
                    HostName.parse(url.group(2)),
                    url.group(3) == null ? port : Integer.parseInt(url.group(3)),
                    tls,
                    url.group(4),
                    reach);
        } catch (MalformedNameException e) {
            throw yaml.problem(
                    "url",
                    "is not the URL of a witness.",
                    "Write it as in https://witness.example/heads.");
        }
    }
}
