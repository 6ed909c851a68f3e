package dev.sallyport.config;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Optional;

/// The `ca-file:` of a host: certificates (PEM) in a file beside the policy file.
final class CaFile {
    private static final int BYTES_MAX = 1 << 20;

    /// @param file the policy file
    static Optional<String> read(Path file, YamlMapping entry) throws IOException {
        Optional<String> name = entry.text("ca-file");
        return name.isPresent()
                ? Optional.of(certificates(entry, file.resolveSibling(name.get())))
                : Optional.empty();
    }

    private static String certificates(YamlMapping entry, Path caFile) throws IOException {
        if (Files.notExists(caFile)) {
            throw entry.problem(
                    "ca-file",
                    "cannot be used: " + caFile + " does not exist.",
                    "Copy the CA's certificates there, or correct the path.");
        }
        try {
            Ownership.requireUnforgeableFile(caFile);
        } catch (ConfigException e) {
            throw entry.problem("ca-file", "cannot be used: " + e.problem(), e.remedy());
        }
        byte[] pem = Files.size(caFile) > BYTES_MAX ? new byte[0] : Files.readAllBytes(caFile);
        String text = new String(pem, StandardCharsets.US_ASCII);
        if (text.contains("PRIVATE KEY") || !holdsCertificates(pem)) {
            throw entry.problem(
                    "ca-file",
                    "must contain only certificates in PEM format.",
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
