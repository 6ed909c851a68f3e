package dev.sallyport.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The certificates that a system trusts. Those that an administrator added are among them, unlike
/// among the JDK's own.
public final class SystemCertificates {
    /// Where distributions keep their bundle (Debian, Fedora, Alpine).
    public static final List<Path> BUNDLES =
            List.of(
                    Path.of("/etc/ssl/certs/ca-certificates.crt"),
                    Path.of("/etc/pki/tls/certs/ca-bundle.crt"),
                    Path.of("/etc/ssl/cert.pem"));

    private SystemCertificates() {}

    /// This machine's bundle; empty when it has none that can be read.
    public static Optional<Path> bundle() {
        return BUNDLES.stream().filter(Files::isReadable).findFirst();
    }
}
