package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

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
        Optional<YamlMapping> metrics = policy.mapping(METRICS);
        if (metrics.isPresent()) {
            metrics.get().requireOnly(List.of(PORT, OTLP));
        }
        return new Reports(
                webhook(file, policy.mapping(APPROVALS)),
                metricsPort(metrics),
                metricsPush(file, metrics));
    }

    private static Optional<Webhook> webhook(Path file, Optional<YamlMapping> approvals)
            throws IOException {
        if (approvals.isEmpty()) {
            return Optional.empty();
        }
        approvals.get().requireOnly(List.of(WEBHOOK));
        Optional<YamlMapping> yaml = approvals.get().mapping(WEBHOOK);
        return yaml.isPresent() ? Optional.of(webhook(file, yaml.get())) : Optional.empty();
    }

    private static Webhook webhook(Path file, YamlMapping yaml) throws IOException {
        List<String> keys = new ArrayList<>(PostUrl.KEYS);
        keys.add(SECRET);
        yaml.requireOnly(keys);
        String secret = yaml.requiredText(SECRET);
        if (!SecretFiles.isName(secret)) {
            throw yaml.problem(
                    SECRET,
                    "is not the name of a secret.",
                    "Store one with: sallyport secret set NAME --host HOST < FILE");
        }
        return new Webhook(PostUrl.readPrivate(file, yaml, "a webhook"), secret);
    }

    private static Optional<Integer> metricsPort(Optional<YamlMapping> metrics)
            throws ConfigException {
        if (metrics.isEmpty()) {
            return Optional.empty();
        }
        OptionalLong port = metrics.get().number(PORT, 1, 65_535);
        return port.isPresent() ? Optional.of(Math.toIntExact(port.getAsLong())) : Optional.empty();
    }

    private static Optional<PostUrl> metricsPush(Path file, Optional<YamlMapping> metrics)
            throws IOException {
        if (metrics.isEmpty()) {
            return Optional.empty();
        }
        Optional<YamlMapping> yaml = metrics.get().mapping(OTLP);
        if (yaml.isEmpty()) {
            return Optional.empty();
        }
        yaml.get().requireOnly(PostUrl.KEYS);
        return Optional.of(PostUrl.readPrivate(file, yaml.get(), "a collector"));
    }
}
