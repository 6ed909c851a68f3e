package dev.sallyport.fleet;

import dev.sallyport.credential.CertifiedKey;
import java.nio.ByteBuffer;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManagerFactory;

/// A handshake of TLS 1.3 between the two real ends of the JDK, in memory, at a given time.
final class Handshake {
    private static final char[] PASSWORD = "test".toCharArray();
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int ROUNDS_MAX = 100;

    private Handshake() {}

    /// With the gateway as it shows itself now.
    static X509Certificate run(
            Fleet fleet, List<String> pinned, String clientPem, PrivateKey clientKey)
            throws Exception {
        return run(fleet, fleet.authority.server(), pinned, clientPem, clientKey);
    }

    /// The certificate that the gateway saw, once both ends believe each other.
    ///
    /// @param shown what plays the gateway
    /// @param pinned what the host trusts
    /// @throws SSLException when one of them does not
    static X509Certificate run(
            Fleet fleet,
            CertifiedKey shown,
            List<String> pinned,
            String clientPem,
            PrivateKey clientKey)
            throws Exception {
        Instant now = fleet.instant();
        List<String> accepted = fleet.authority.authorityPems();
        SSLEngine server =
                context(shown.certificate(), shown.privateKey(), accepted, now).createSSLEngine();
        server.setUseClientMode(false);
        server.setNeedClientAuth(true);
        SSLEngine client =
                context(CertifiedKey.parse(clientPem), clientKey, pinned, now)
                        .createSSLEngine(FleetNames.GATEWAY.value(), 443);
        client.setUseClientMode(true);
        SSLParameters parameters = client.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        client.setSSLParameters(parameters);
        for (SSLEngine engine : List.of(server, client)) {
            engine.setEnabledProtocols(new String[] {"TLSv1.3"});
        }
        shake(client, server);
        return (X509Certificate) server.getSession().getPeerCertificates()[0];
    }

    private static SSLContext context(
            X509Certificate own, PrivateKey key, List<String> trusted, Instant now)
            throws Exception {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        store.setKeyEntry("own", key, PASSWORD, new X509Certificate[] {own});
        // Shows what it has: the other side judges it.
        KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
        keys.init(store, PASSWORD);
        Set<TrustAnchor> anchors = new HashSet<>();
        for (String pem : trusted) {
            anchors.add(new TrustAnchor(CertifiedKey.parse(pem), null));
        }
        PKIXBuilderParameters rules = new PKIXBuilderParameters(anchors, new X509CertSelector());
        rules.setRevocationEnabled(false);
        rules.setDate(Date.from(now));
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(new CertPathTrustManagerParameters(rules));
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static void shake(SSLEngine client, SSLEngine server) throws SSLException {
        ByteBuffer toServer = ByteBuffer.allocate(BUFFER_BYTES);
        ByteBuffer toClient = ByteBuffer.allocate(BUFFER_BYTES);
        client.beginHandshake();
        server.beginHandshake();
        for (int round = 0; round < ROUNDS_MAX; round++) {
            step(client, toClient, toServer);
            step(server, toServer, toClient);
            if (isDone(client) && isDone(server) && isQuiet(toServer) && isQuiet(toClient)) {
                return;
            }
        }
        throw new SSLPeerUnverifiedException("the handshake does not end");
    }

    private static boolean isDone(SSLEngine engine) {
        return engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING;
    }

    private static boolean isQuiet(ByteBuffer buffer) {
        return buffer.position() == 0;
    }

    /// Reads what there is, does what it must, writes what it has.
    private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
        ByteBuffer plain = ByteBuffer.allocate(BUFFER_BYTES);
        for (int round = 0; round < ROUNDS_MAX; round++) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> engine.getDelegatedTask().run();
                case NEED_WRAP -> engine.wrap(ByteBuffer.allocate(0), out);
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN, FINISHED, NOT_HANDSHAKING -> {
                    if (in.position() == 0) {
                        return;
                    }
                    in.flip();
                    SSLEngineResult result = engine.unwrap(in, plain);
                    in.compact();
                    if (result.getStatus() != SSLEngineResult.Status.OK) {
                        return;
                    }
                }
            }
        }
    }
}
