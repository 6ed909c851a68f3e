package dev.sallyport.credential;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.SessionId;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/// The certificate authority of one sandbox, which signs for its inspected hosts. The sandbox
/// trusts it and nobody else does, and even the sandbox only for the names of those hosts.
public final class Authority {
    private final CertifiedKey own;

    private Authority(CertifiedKey own) {
        this.own = own;
    }

    /// A new one.
    ///
    /// @param names what may be signed for
    /// @param sessionEnds when the session is over at the latest
    public static Authority create(
            SessionId session, Collection<HostName> names, Instant sessionEnds) {
        KeyPair keys = Certificates.newKeys();
        X509Certificate made =
                Certificates.authority(session, List.copyOf(names), keys, sessionEnds);
        return new Authority(CertifiedKey.of(made, keys));
    }

    /// One that was made before.
    ///
    /// @param key PKCS #8 in Base64
    /// @throws IllegalArgumentException when either part cannot be read
    public static Authority of(String certificatePem, Secret key) {
        return new Authority(CertifiedKey.of(certificatePem, key));
    }

    /// Whether a sandbox that trusts this authority trusts what it signs for the name.
    public static boolean signsFor(String certificatePem, HostName name) {
        try {
            return Certificates.permits(CertifiedKey.parse(certificatePem), name);
        } catch (CertificateException _) {
            return false;
        }
    }

    /// What the sandbox has to trust.
    public String certificatePem() {
        return own.certificatePem();
    }

    /// For whoever keeps it or hands it on.
    public Secret key() {
        return own.key();
    }

    X509Certificate certificate() {
        return own.certificate();
    }

    /// A certificate for this host alone.
    X509Certificate certify(HostName host, PublicKey hostKey) throws GeneralSecurityException {
        return Certificates.leaf(host, hostKey, own);
    }

    /// Signs nothing any more; called when the session ends.
    public void wipe() {
        own.wipe();
    }

    @Override
    public String toString() {
        return "Authority[redacted]";
    }
}
