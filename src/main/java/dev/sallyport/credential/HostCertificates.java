package dev.sallyport.credential;

import dev.sallyport.policy.EgressPermit;
import io.netty.handler.ssl.SslContextBuilder;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.time.Duration;

/// Plays the inspected hosts towards one sandbox: a certificate for each, one key pair for all. The
/// key lives in this process's memory only.
public final class HostCertificates {
    /// Whoever keeps one has to get a new one in time.
    public static final Duration VALIDITY = Duration.ofHours(24);

    private final Authority authority;
    private final KeyPair keys = Certificates.newKeys();

    public HostCertificates(Authority authority) {
        this.authority = authority;
    }

    /// A server's side of TLS, with a new certificate for the permitted host and nothing else.
    ///
    /// @throws IllegalArgumentException when the policy does not have the host inspected
    /// @throws GeneralSecurityException when nothing can be signed, because the session has ended
    public SslContextBuilder server(EgressPermit permit) throws GeneralSecurityException {
        if (permit.inspection().isEmpty()) {
            throw new IllegalArgumentException("the host is not inspected");
        }
        // Without an authority those that the JDK trusts would be read, to verify clients that
        // show no certificate; and a connection waits for this.
        return SslContextBuilder.forServer(
                        keys.getPrivate(), authority.certify(permit.host(), keys.getPublic()))
                .trustManager(authority.certificate());
    }
}
