package dev.sallyport.gateway;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/// A program in a sandbox that speaks TLS as programs do, verifies whom it speaks with, and resumes
/// its sessions where it can.
final class TlsProbe {
    private final SSLContext context;
    private final String version;

    TlsProbe(String caPem, String version, KeyManager... own)
            throws IOException, GeneralSecurityException {
        this.context = trusting(caPem, own);
        this.version = version;
    }

    /// One request over a connection that is there already.
    String get(Socket connection, String host) throws IOException {
        return ask(connection, host, "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    }

    /// The same with a head of the test's, after which the other side closes.
    String ask(Socket connection, String host, String head) throws IOException {
        SSLSocket tls = secured(connection, host);
        tls.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        return new String(tls.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /// The id of the session, which is that of an earlier one when it was resumed (TLS 1.2).
    byte[] sessionId(Socket connection, String host) throws IOException {
        SSLSocket tls = secured(connection, host);
        tls.startHandshake();
        return tls.getSession().getId();
    }

    boolean refusesCertificate(Socket connection, String host) throws IOException {
        try {
            secured(connection, host).startHandshake();
            return false;
        } catch (SSLHandshakeException e) {
            return e.getCause() instanceof CertificateException;
        }
    }

    SSLSocket secured(Socket connection, String host, String... protocols) throws IOException {
        SSLSocket tls =
                (SSLSocket) context.getSocketFactory().createSocket(connection, host, 443, true);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(new String[] {version});
        parameters.setApplicationProtocols(protocols);
        tls.setSSLParameters(parameters);
        return tls;
    }

    private static SSLContext trusting(String caPem, KeyManager... own)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry(
                "ca",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(
                                new ByteArrayInputStream(
                                        caPem.getBytes(StandardCharsets.US_ASCII))));
        TrustManagerFactory managers =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own, managers.getTrustManagers(), null);
        return context;
    }
}
