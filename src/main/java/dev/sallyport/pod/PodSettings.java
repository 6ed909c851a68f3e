package dev.sallyport.pod;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.DialAddress;
import dev.sallyport.control.ApiJson;
import dev.sallyport.control.HostApi;
import dev.sallyport.credential.CertifiedKey;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What a pod's specification says to its sidecar. `sallyport k8s render` writes it.
///
/// @param gateway `address:port`
/// @param request the session that is wanted
/// @param authorities of the gateway, to pin (PEM)
/// @param tokenFile projected by the cluster, which renews it
/// @param inside what the agent's container sees, read-only
record PodSettings(
        String gateway,
        HostApi.Open request,
        List<String> authorities,
        Path tokenFile,
        Path inside) {
    static final Path DIRECTORY = Path.of("/run/sallyport");

    private static final String GATEWAY = "SALLYPORT_POD_GATEWAY";
    private static final String REQUEST = "SALLYPORT_POD_REQUEST";
    private static final int FILE_BYTES_MAX = 64 * 1_024;
    private static final int AUTHORITIES_MAX = 2;

    PodSettings {
        authorities = List.copyOf(authorities);
    }

    /// @param directory where the pod's volumes are
    static PodSettings read(Path directory, Map<String, String> environment) throws IOException {
        String gateway = variable(environment, GATEWAY);
        if (!DialAddress.isDial(gateway)) {
            throw new ConfigException(
                    GATEWAY + " is not an address and port.", "Write it as in 10.96.0.20:8443.");
        }
        return new PodSettings(
                gateway,
                request(variable(environment, REQUEST)),
                authorities(directory.resolve("authority/authority.pem")),
                directory.resolve("token/token"),
                directory.resolve("inside"));
    }

    private static String variable(Map<String, String> environment, String name)
            throws ConfigException {
        String value = environment.get(name);
        if (value == null || value.isBlank()) {
            throw new ConfigException(
                    name + " is not set.", "Write the pod with: sallyport k8s render");
        }
        return value;
    }

    private static HostApi.Open request(String json) throws ConfigException {
        try {
            return ApiJson.requests().readValue(json, HostApi.Open.class);
        } catch (IOException e) {
            throw new ConfigException(
                    REQUEST + " cannot be read: " + e.getMessage(),
                    "Write the pod with: sallyport k8s render, of the same version.");
        }
    }

    private static List<String> authorities(Path file) throws IOException {
        List<String> pems = new ArrayList<>();
        try {
            byte[] bytes = text(file).getBytes(StandardCharsets.US_ASCII);
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (Certificate one : factory.generateCertificates(new ByteArrayInputStream(bytes))) {
                pems.add(CertifiedKey.pem((X509Certificate) one));
            }
        } catch (CertificateException _) {
            pems.clear();
        }
        if (pems.isEmpty() || pems.size() > AUTHORITIES_MAX) {
            throw new ConfigException(
                    file + " does not contain the authority of a gateway.",
                    "Put there what the gateway prints with: sallyport gateway authority");
        }
        return pems;
    }

    /// As it is at the moment. What is in it is not repeated anywhere.
    String token() throws IOException {
        return text(tokenFile).strip();
    }

    private static String text(Path file) throws IOException {
        if (!Files.isReadable(file) || Files.size(file) > FILE_BYTES_MAX) {
            throw new ConfigException(
                    file + " cannot be read.", "Mount it; see docs/kubernetes.md.");
        }
        return Files.readString(file, StandardCharsets.US_ASCII);
    }
}
