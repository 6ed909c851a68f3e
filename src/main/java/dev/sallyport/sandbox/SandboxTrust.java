package dev.sallyport.sandbox;

import dev.sallyport.config.SystemCertificates;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Makes programs in a sandbox trust its own authority besides all that the host trusts. Where a
/// program looks for certificates differs, so they come as a bundle, alone and as a Java key store,
/// and every usual variable names one of them. None of it is secret, and none of it is there for a
/// sandbox without an authority.
public final class SandboxTrust {
    public static final Path DIRECTORY = Path.of("/etc/sallyport");
    public static final String BUNDLE = "ca-bundle.crt";
    public static final String CERTIFICATE = "sandbox-ca.crt";

    /// An empty directory.
    public static final Path NO_FURTHER = DIRECTORY.resolve("certs");

    private static final String JAVA_STORE = "cacerts.p12";

    /// What every JDK has on its own store; it protects nothing.
    private static final String JAVA_STORE_PASSWORD = "changeit";

    private static final Pattern PEM =
            Pattern.compile(
                    "-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----");

    private static final List<String> BUNDLE_VARIABLES =
            List.of(
                    "SSL_CERT_FILE",
                    "CURL_CA_BUNDLE",
                    "GIT_SSL_CAINFO",
                    "REQUESTS_CA_BUNDLE",
                    "PIP_CERT",
                    "CARGO_HTTP_CAINFO",
                    "AWS_CA_BUNDLE",
                    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH");

    // As the JDK's own store. Certificates are public, and a Java program would spend more time on
    // keys from the password than on reading them. There is no other way to say so.
    static {
        System.setProperty("keystore.pkcs12.certProtectionAlgorithm", "NONE");
        System.setProperty("keystore.pkcs12.macAlgorithm", "NONE");
    }

    private SandboxTrust() {}

    /// The files to mount in [#DIRECTORY], by their names there and among the sandbox's files.
    public static List<String> files(SandboxSpec spec) {
        return spec.caPem().isPresent() ? List.of(BUNDLE, CERTIFICATE, JAVA_STORE) : List.of();
    }

    /// The variables by which programs find the files.
    public static Map<String, String> variables(SandboxSpec spec) {
        return spec.caPem().isEmpty() ? Map.of() : variables(DIRECTORY);
    }

    /// The same for files in another directory.
    static Map<String, String> variables(Path directory) {
        String bundle = directory.resolve(BUNDLE).toString();
        String own = directory.resolve(CERTIFICATE).toString();
        Map<String, String> variables = new HashMap<>();
        BUNDLE_VARIABLES.forEach(name -> variables.put(name, bundle));
        variables.put("NODE_EXTRA_CA_CERTS", own);
        variables.put("DENO_CERT", own);
        variables.put("JAVA_TOOL_OPTIONS", javaOptions(directory));
        return variables;
    }

    /// For a sandbox that sees the host's own files: the bundle has all that the host trusts. A Go
    /// program would read it two times more, and each certificate in a file of its own, which takes
    /// it 10 ms at each start. An image may trust others, in its own directory.
    public static Map<String, String> onlyBundle(SandboxSpec spec) {
        return spec.caPem().isPresent() ? Map.of("SSL_CERT_DIR", NO_FURTHER.toString()) : Map.of();
    }

    private static String javaOptions(Path directory) {
        return "-Djavax.net.ssl.trustStore=%s -Djavax.net.ssl.trustStoreType=PKCS12 -Djavax.net.ssl.trustStorePassword=%s"
                .formatted(directory.resolve(JAVA_STORE), JAVA_STORE_PASSWORD);
    }

    /// What the files hold, by name.
    static Map<String, byte[]> contents(SandboxSpec spec) throws IOException {
        return spec.caPem().isPresent() ? contents(spec.caPem().get()) : Map.of();
    }

    /// @param own certificate of the sandbox's authority; may be empty
    static Map<String, byte[]> contents(String own) throws IOException {
        Map<String, byte[]> contents = new LinkedHashMap<>();
        String bundle = systemBundle() + "\n" + own;
        contents.put(BUNDLE, bundle.getBytes(StandardCharsets.UTF_8));
        contents.put(CERTIFICATE, own.getBytes(StandardCharsets.US_ASCII));
        contents.put(JAVA_STORE, javaStore(bundle));
        return contents;
    }

    /// Empty on a host that trusts nobody.
    private static String systemBundle() throws IOException {
        Optional<Path> bundle = SystemCertificates.bundle();
        return bundle.isEmpty()
                ? ""
                : new String(Files.readAllBytes(bundle.get()), StandardCharsets.UTF_8);
    }

    private static byte[] javaStore(String bundle) throws IOException {
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            Matcher pem = PEM.matcher(bundle);
            while (pem.find()) {
                add(store, factory, pem.group());
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            store.store(bytes, JAVA_STORE_PASSWORD.toCharArray());
            return bytes.toByteArray();
        } catch (GeneralSecurityException e) {
            throw new IOException("the Java key store cannot be made", e);
        }
    }

    /// One that the JDK cannot read, no Java program could use either.
    private static void add(KeyStore store, CertificateFactory factory, String pem)
            throws GeneralSecurityException {
        byte[] bytes = pem.getBytes(StandardCharsets.US_ASCII);
        try {
            store.setCertificateEntry(
                    "ca-" + store.size(),
                    factory.generateCertificate(new ByteArrayInputStream(bytes)));
        } catch (CertificateException e) {
            System.getLogger(SandboxTrust.class.getName())
                    .log(System.Logger.Level.DEBUG, "a certificate of the host is left out", e);
        }
    }
}
