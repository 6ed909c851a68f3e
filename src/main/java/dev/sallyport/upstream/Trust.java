package dev.sallyport.upstream;

import dev.sallyport.config.SystemCertificates;
import dev.sallyport.http.Tls;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// Which certificates prove that a host is itself: the ones configured for it and no others, or the
/// system's.
final class Trust {
    private static final String[] HTTP_1_1 = {ApplicationProtocolNames.HTTP_1_1};
    private static final String[] BOTH = {
        ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1
    };

    private Trust() {}

    /// TLS 1.2 or newer, host name checked against the certificate (RFC 9110, section 4.3.4), and
    /// no other protocol inside than HTTP. The caller releases it.
    ///
    /// @param http2 whether HTTP/2 is offered, before HTTP/1.1
    static SslContext client(TrustManagerFactory trusted, boolean http2) {
        try {
            return Tls.speaking(SslContextBuilder.forClient(), http2 ? BOTH : HTTP_1_1)
                    .endpointIdentificationAlgorithm("HTTPS")
                    .protocols("TLSv1.3", "TLSv1.2")
                    .trustManager(trusted)
                    .build();
        } catch (SSLException e) {
            throw new IllegalArgumentException("TLS is not to be had", e);
        }
    }

    /// The certificates that are trusted, read. Where the system has none, those of Java.
    ///
    /// @throws IllegalArgumentException when they cannot be read
    static TrustManagerFactory of(Optional<String> caPem) {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(caPem.isPresent() ? store(pem(caPem.get())) : system());
            return trust;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "the CA certificates of a host cannot be read; give PEM certificates", e);
        }
    }

    private static InputStream pem(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static @Nullable KeyStore system() throws IOException, GeneralSecurityException {
        Optional<Path> bundle = SystemCertificates.bundle();
        if (bundle.isEmpty()) {
            return null;
        }
        try (InputStream certificates = Files.newInputStream(bundle.get())) {
            return store(certificates);
        }
    }

    private static KeyStore store(InputStream pem) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
            store.setCertificateEntry(Integer.toString(store.size()), one);
        }
        if (store.size() == 0) {
            throw new IOException("there is no certificate");
        }
        return store;
    }

    /// The same trust for the few connections that are made with the JDK's sockets.
    static SSLContext jdk(Optional<String> caPem) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, of(caPem).getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("TLS is not to be had", e);
        }
    }
}
