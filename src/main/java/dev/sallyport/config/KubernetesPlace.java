package dev.sallyport.config;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A cluster whose pods may come to this gateway; `kubernetes:` of a policy file. Without it none
/// may.
///
/// @param accounts `namespace/account` of the service accounts whose pods may come
/// @param api where the cluster's API is
/// @param port of it
/// @param dial an `address:port` to connect to instead of what the API's name resolves to
/// @param audience that the tokens of pods must be for
/// @param caFile who may have signed the API's certificate
/// @param tokenFile what the API knows this gateway by; read for each question, for it is renewed
public record KubernetesPlace(
        List<String> accounts,
        HostName api,
        int port,
        Optional<String> dial,
        String audience,
        Path caFile,
        Path tokenFile) {
    static final String KEY = "kubernetes";

    /// Where every pod finds what its own service account has.
    private static final Path INSIDE = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private static final String LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
    private static final Pattern ACCOUNT =
            Pattern.compile(LABEL + "/[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?");
    private static final Pattern URL =
            Pattern.compile("https://([^/?#:@\\[\\]]+)(?::([1-9][0-9]{0,4}))?/?");
    private static final Pattern AUDIENCE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]{0,252}");
    private static final int PORT_MAX = 65_535;
    private static final int HTTPS = 443;
    private static final int FILE_BYTES_MAX = 1 << 20;

    private static final String ACCOUNTS = "accounts";
    private static final String API = "api";
    private static final String AUDIENCE_KEY = "audience";
    private static final String CA_FILE = "ca-file";
    private static final String TOKEN_FILE = "token-file";

    public KubernetesPlace {
        accounts = List.copyOf(accounts);
    }

    /// The files are not looked at: in a cluster they may come later.
    ///
    /// @param policy the policy file
    static KubernetesPlace read(Path policy, YamlMapping yaml) throws ConfigException {
        yaml.requireOnly(List.of(ACCOUNTS, API, "dial", AUDIENCE_KEY, CA_FILE, TOKEN_FILE));
        Matcher url = URL.matcher(yaml.text(API).orElse("https://kubernetes.default.svc"));
        int port = url.matches() ? port(url.group(2)) : 0;
        if (port == 0) {
            throw noUrl(yaml);
        }
        try {
            return new KubernetesPlace(
                    accounts(yaml),
                    HostName.parse(url.group(1)),
                    port,
                    DialAddress.read(yaml),
                    audience(yaml),
                    file(policy, yaml, CA_FILE, "ca.crt"),
                    file(policy, yaml, TOKEN_FILE, "token"));
        } catch (MalformedNameException _) {
            throw noUrl(yaml);
        }
    }

    private static int port(String digits) {
        int port = digits == null ? HTTPS : Integer.parseInt(digits);
        return port > PORT_MAX ? 0 : port;
    }

    private static ConfigException noUrl(YamlMapping yaml) {
        return yaml.problem(
                API,
                "is not the URL of a cluster's API.",
                "Write it as in https://kubernetes.default.svc; for an address, write its name and add dial.");
    }

    private static List<String> accounts(YamlMapping yaml) throws ConfigException {
        List<String> accounts =
                yaml.list(ACCOUNTS, KubernetesPlace::account, "agents/agent").orElse(List.of());
        if (accounts.isEmpty()) {
            throw yaml.problem(
                    ACCOUNTS,
                    "must list the service accounts whose pods may come.",
                    "Write each as NAMESPACE/NAME, as in agents/agent.");
        }
        return accounts;
    }

    private static String account(String text) throws MalformedNameException {
        if (!ACCOUNT.matcher(text).matches()) {
            throw new MalformedNameException("a service account is written as NAMESPACE/NAME");
        }
        return text;
    }

    private static String audience(YamlMapping yaml) throws ConfigException {
        return yaml.text(
                        AUDIENCE_KEY,
                        AUDIENCE.asMatchPredicate(),
                        "is not an audience.",
                        "Write the one that the pods' tokens are projected with, as in sallyport.")
                .orElse("sallyport");
    }

    private static Path file(Path policy, YamlMapping yaml, String key, String usual)
            throws ConfigException {
        return yaml.text(key)
                .map(policy::resolveSibling)
                .map(Path::normalize)
                .orElse(INSIDE.resolve(usual));
    }

    /// The certificates as they are at the moment (PEM).
    public String caPem() throws IOException {
        return text(caFile);
    }

    /// The token as it is at the moment, on one line.
    public byte[] token() throws IOException {
        return text(tokenFile).strip().getBytes(StandardCharsets.US_ASCII);
    }

    /// In a cluster they are symbolic links to files of root's, which others may read.
    private static String text(Path file) throws IOException {
        if (!Files.isReadable(file) || Files.size(file) > FILE_BYTES_MAX) {
            throw new ConfigException(
                    file + " cannot be read.",
                    "Give the gateway's pod a service account, or name the files under kubernetes: in policy.yaml.");
        }
        return Files.readString(file, StandardCharsets.US_ASCII);
    }
}
