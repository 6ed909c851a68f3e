package dev.sallyport.config;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Makes a [GitHost] from one entry of `hosts:` in a policy file.
final class GitHostReader {
    private static final int CA_BYTES_MAX = 1 << 20;
    private static final int PORT_MAX = 65_535;

    /// Addresses in the one spelling that no two programs read differently (E7).
    private static final Pattern DIAL =
            Pattern.compile(
                    "(?:((?:(?:0|[1-9][0-9]{0,2})\\.){3}(?:0|[1-9][0-9]{0,2}))|\\[([0-9a-f:]{2,39})\\]):([1-9][0-9]{0,4})");

    private GitHostReader() {}

    static GitHost read(Path file, YamlMapping entry) throws IOException {
        entry.requireOnly(List.of("name", "kind", "ca-file", "dial"));
        HostName name = name(entry);
        HostKind kind = kind(entry);
        Optional<String> caFile = entry.text("ca-file");
        Optional<String> caPem =
                caFile.isPresent()
                        ? Optional.of(certificates(entry, file.resolveSibling(caFile.get())))
                        : Optional.empty();
        return new GitHost(name, kind, caPem, dial(entry));
    }

    private static HostName name(YamlMapping entry) throws ConfigException {
        try {
            HostName name = HostName.parse(entry.requiredText("name"));
            if (name.value().endsWith(".sallyport")) {
                throw entry.problem(
                        "name", "is Sallyport's own.", "Use the name of the git host itself.");
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
        throw entry.problem("kind", "is not a kind of host.", "Write one of: " + labels + ".");
    }

    private static Optional<String> dial(YamlMapping entry) throws ConfigException {
        Optional<String> text = entry.text("dial");
        if (text.isPresent() && !isDial(text.get())) {
            throw entry.problem(
                    "dial",
                    "is not an address and port.",
                    "Write it as \"10.0.0.5:8443\" or \"[fd00::5]:8443\", without leading zeros.");
        }
        return text;
    }

    private static boolean isDial(String text) {
        Matcher matcher = DIAL.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(3)) > PORT_MAX) {
            return false;
        }
        try {
            String ipv6 = matcher.group(2);
            InetAddress.ofLiteral(ipv6 == null ? matcher.group(1) : ipv6);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String certificates(YamlMapping entry, Path caFile) throws IOException {
        try {
            Ownership.requireUnforgeableFile(caFile);
        } catch (ConfigException e) {
            throw entry.problem("ca-file", "cannot be used: " + e.problem(), e.remedy());
        }
        byte[] pem = Files.size(caFile) > CA_BYTES_MAX ? new byte[0] : Files.readAllBytes(caFile);
        String text = new String(pem, StandardCharsets.US_ASCII);
        if (text.contains("PRIVATE KEY") || !holdsCertificates(pem)) {
            throw entry.problem(
                    "ca-file",
                    "does not hold certificates, and nothing else, in PEM form.",
                    "Copy only the CA's certificates (BEGIN CERTIFICATE) into " + caFile + ".");
        }
        return text;
    }

    private static boolean holdsCertificates(byte[] pem) {
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            return !factory.generateCertificates(new ByteArrayInputStream(pem)).isEmpty();
        } catch (CertificateException e) {
            return false;
        }
    }
}
