package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What the daemon tells others by itself: `approvals:` and `metrics:` of a policy file.
///
/// @param webhook who hears of each question to a person; absent for nobody
/// @param metricsPort of loopback, where figures can be had; absent for none
/// @param metricsPush a collector that gets figures every minute; absent for none
public record Reports(
        Optional<Webhook> webhook, Optional<Integer> metricsPort, Optional<PostUrl> metricsPush) {
    static final String APPROVALS = "approvals";
    static final String METRICS = "metrics";

    private static final String WEBHOOK = "webhook";
    private static final String SECRET = "secret";
    private static final String PORT = "port";
    private static final String OTLP = "otlp";

    public static final Reports NONE =
            new Reports(Optional.empty(), Optional.empty(), Optional.empty());

    /// Who hears of questions.
    ///
    /// @param secret name of the one that posts are signed with; it belongs to the URL's host
    public record Webhook(PostUrl url, String secret) {}

    /// @param file the policy file
    static Reports read(Path file, YamlMapping policy) throws IOException {
        YamlMapping metrics = policy.part(METRICS);
        metrics.requireOnly(List.of(PORT, OTLP));
        YamlMapping approvals = policy.part(APPROVALS);
        approvals.requireOnly(List.of(WEBHOOK));
        return new Reports(
                approvals.mapping(WEBHOOK, yaml -> webhook(file, yaml)),
                metrics.number(PORT, 1, 65_535).map(Math::toIntExact),
                metrics.mapping(OTLP, yaml -> collector(file, yaml)));
    }

    private static Webhook webhook(Path file, YamlMapping yaml) throws IOException {
        List<String> keys = new ArrayList<>(PostUrl.KEYS);
        keys.add(SECRET);
        yaml.requireOnly(keys);
        String secret =
                yaml.requiredText(
                        SECRET,
                        SecretFiles::isName,
                        "is not the name of a secret.",
                        "Store one with: sallyport secret set NAME --host HOST < FILE");
        return new Webhook(PostUrl.readPrivate(file, yaml, "a webhook"), secret);
    }

    private static PostUrl collector(Path file, YamlMapping yaml) throws IOException {
        yaml.requireOnly(PostUrl.KEYS);
        return PostUrl.readPrivate(file, yaml, "a collector");
    }
}
