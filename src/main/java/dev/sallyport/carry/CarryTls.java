package dev.sallyport.carry;

import dev.sallyport.http.Tls;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/// TLS between a machine with sandboxes and the gateway: version 1.3, both sides pinned to the
/// authorities that they were given, and nothing is resumed, so that a revoked certificate is of no
/// use with the next connection.
public final class CarryTls {
    /// What the gateway's certificate is for, whatever address it is dialled at.
    public static final String GATEWAY = "gateway.sallyport";

    private static final int PORT_IN_NAME_ONLY = 443;
    private static final int HANDSHAKE_SECONDS_MAX = 5;
    private static final int CLOSE_MILLIS_MAX = 1_000;

    private CarryTls() {}

    /// The gateway's side. It asks for a certificate and takes a client without one, for whoever
    /// has not got one yet; one that does not verify ends the handshake. Tickets are off by a
    /// property of the process, see `confine.Jvm`; there is no other switch. The caller releases
    /// it.
    ///
    /// @param pkcs8 an EC key
    /// @param authorityPems who may sign certificates of clients
    /// @throws IllegalArgumentException when a key or certificate cannot be read
    public static SslContext server(String chainPem, byte[] pkcs8, List<String> authorityPems) {
        try {
            PrivateKey key =
                    KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            return built(
                    SslContextBuilder.forServer(key, chain(chainPem))
                            .clientAuth(ClientAuth.OPTIONAL),
                    authorityPems,
                    ApplicationProtocolNames.HTTP_2,
                    ApplicationProtocolNames.HTTP_1_1);
        } catch (GeneralSecurityException e) {
            throw unreadable(e);
        }
    }

    /// The side of the machine with sandboxes. Use it with [#handler]; without the name that is
    /// given there it verifies nothing and so connects to nobody. The caller releases it.
    ///
    /// @param authorityPems who may sign the gateway's certificate
    /// @throws IllegalArgumentException when a certificate cannot be read
    public static SslContext client(String chainPem, PrivateKey key, List<String> authorityPems) {
        try {
            return built(
                    SslContextBuilder.forClient()
                            .keyManager(key, chain(chainPem))
                            .endpointIdentificationAlgorithm("HTTPS"),
                    authorityPems,
                    ApplicationProtocolNames.HTTP_2);
        } catch (GeneralSecurityException e) {
            throw unreadable(e);
        }
    }

    /// Speaks for a client on a new connection, and takes nobody for the gateway whose certificate
    /// is for another name.
    public static SslHandler handler(SslContext client, ByteBufAllocator alloc) {
        SslHandler tls = client.newHandler(alloc, GATEWAY, PORT_IN_NAME_ONLY);
        tls.setHandshakeTimeout(HANDSHAKE_SECONDS_MAX, TimeUnit.SECONDS);
        tls.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS_MAX);
        return tls;
    }

    /// The certificate that somebody has shown in a handshake, which has verified that one of the
    /// authorities signed it and that they have its key; empty when none was shown.
    public static Optional<X509Certificate> peer(Channel channel) {
        try {
            Certificate[] chain =
                    channel.pipeline()
                            .get(SslHandler.class)
                            .engine()
                            .getSession()
                            .getPeerCertificates();
            return chain[0] instanceof X509Certificate leaf ? Optional.of(leaf) : Optional.empty();
        } catch (SSLPeerUnverifiedException _) {
            return Optional.empty();
        }
    }

    private static SslContext built(
            SslContextBuilder builder, List<String> authorityPems, String... protocols)
            throws GeneralSecurityException {
        try {
            return Tls.withoutResumption(
                    Tls.speaking(builder, protocols)
                            .protocols("TLSv1.3")
                            .trustManager(authorities(authorityPems))
                            .build());
        } catch (SSLException e) {
            throw new IllegalArgumentException("TLS is not to be had", e);
        }
    }

    /// None would mean those of the system.
    private static X509Certificate[] authorities(List<String> pems)
            throws GeneralSecurityException {
        List<X509Certificate> all = new ArrayList<>();
        for (String pem : pems) {
            all.addAll(List.of(chain(pem)));
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException("there is no authority to trust");
        }
        return all.toArray(X509Certificate[]::new);
    }

    private static X509Certificate[] chain(String pem) throws GeneralSecurityException {
        List<X509Certificate> chain = new ArrayList<>();
        for (Certificate one :
                CertificateFactory.getInstance("X.509")
                        .generateCertificates(
                                new ByteArrayInputStream(
                                        pem.getBytes(StandardCharsets.US_ASCII)))) {
            chain.add((X509Certificate) one);
        }
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("there is no certificate; give PEM certificates");
        }
        return chain.toArray(X509Certificate[]::new);
    }

    private static IllegalArgumentException unreadable(GeneralSecurityException cause) {
        return new IllegalArgumentException(
                "a key or certificate of the gateway's connection cannot be read", cause);
    }
}
