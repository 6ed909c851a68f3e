package dev.sallyport.config;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A resolver that is asked over TLS (RFC 7858) instead of the system's.
///
/// @param dial its `address:port`
/// @param name that its certificate must be for
/// @param caPem certificates (PEM) to trust for it instead of the system's
public record SecureResolver(String dial, HostName name, Optional<String> caPem) {
    static SecureResolver read(Path file, YamlMapping entry) throws IOException {
        entry.requireOnly(List.of("dial", "name", "ca-file"));
        Optional<String> dial = DialAddress.read(entry);
        if (dial.isEmpty()) {
            throw entry.problem("dial", "is missing.", "Write it as \"192.0.2.53:853\".");
        }
        try {
            HostName name = HostName.parse(entry.requiredText("name"));
            return new SecureResolver(dial.get(), name, CaFile.read(file, entry));
        } catch (MalformedNameException e) {
            throw entry.problem(
                    "name",
                    "is not a host name: " + e.getMessage() + ".",
                    "Write the name in the resolver's certificate, as in dns.example.");
        }
    }
}
