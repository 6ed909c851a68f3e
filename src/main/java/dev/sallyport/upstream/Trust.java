package dev.sallyport.upstream;

import dev.sallyport.config.SystemCertificates;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
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
import javax.net.ssl.TrustManagerFactory;

/// Which certificates prove that a host is itself: the ones configured for it and no others, or the
/// system's.
final class Trust {
    private Trust() {}

    /// TLS 1.2 or newer, host name checked against the certificate (RFC 9110, section 4.3.4).
    static SslContext of(Optional<String> caPem) {
        return built(client(), caPem);
    }

    /// As [#of], for hosts that are asked in HTTP/1.1 and must not choose anything else.
    static SslContext web(Optional<String> caPem) {
        return built(
                client().applicationProtocolConfig(
                                new ApplicationProtocolConfig(
                                        ApplicationProtocolConfig.Protocol.ALPN,
                                        SelectorFailureBehavior.NO_ADVERTISE,
                                        SelectedListenerFailureBehavior.ACCEPT,
                                        ApplicationProtocolNames.HTTP_1_1)),
                caPem);
    }

    private static SslContextBuilder client() {
        return SslContextBuilder.forClient()
                .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
                .endpointIdentificationAlgorithm("HTTPS")
                .protocols("TLSv1.3", "TLSv1.2");
    }

    private static SslContext built(SslContextBuilder builder, Optional<String> caPem) {
        try {
            return trusting(builder, caPem).build();
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the CA certificates of a host cannot be read; give PEM certificates", e);
        }
    }

    /// The same trust for the few connections that are made with the JDK's sockets.
    static SSLContext jdk(Optional<String> caPem) {
        try (InputStream pem = bundle(caPem)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            int number = 0;
            for (Certificate one :
                    CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                store.setCertificateEntry(Integer.toString(number++), one);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "the CA certificates of the resolver cannot be read; give PEM certificates", e);
        }
    }

    private static InputStream bundle(Optional<String> caPem) throws IOException {
        if (caPem.isPresent()) {
            return new ByteArrayInputStream(caPem.get().getBytes(StandardCharsets.US_ASCII));
        }
        Optional<Path> bundle = SystemCertificates.bundle();
        if (bundle.isEmpty()) {
            throw new IOException("this system has no bundle of certificates");
        }
        return Files.newInputStream(bundle.get());
    }

    private static SslContextBuilder trusting(SslContextBuilder builder, Optional<String> caPem)
            throws IOException {
        if (caPem.isPresent()) {
            return builder.trustManager(
                    new ByteArrayInputStream(caPem.get().getBytes(StandardCharsets.US_ASCII)));
        }
        Optional<Path> bundle = SystemCertificates.bundle();
        if (bundle.isEmpty()) {
            return builder;
        }
        try (InputStream certificates = Files.newInputStream(bundle.get())) {
            return builder.trustManager(certificates);
        }
    }
}
