package dev.sallyport.credential;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.SessionId;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;

/// The certificate authority of one sandbox, which signs for its inspected hosts. The sandbox
/// trusts it and nobody else does, and even the sandbox only for the names of those hosts.
public final class Authority {
    private final String certificatePem;
    private final X509Certificate certificate;
    private final Secret key;

    private Authority(String certificatePem, X509Certificate certificate, Secret key) {
        this.certificatePem = certificatePem;
        this.certificate = certificate;
        this.key = key;
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
        return new Authority(pem(made), made, secret(keys.getPrivate()));
    }

    /// One that was made before.
    ///
    /// @param key PKCS #8 in Base64
    /// @throws IllegalArgumentException when either part cannot be read
    public static Authority of(String certificatePem, Secret key) {
        try {
            Authority authority = new Authority(certificatePem, parse(certificatePem), key);
            authority.privateKey();
            return authority;
        } catch (GeneralSecurityException _) {
            throw new IllegalArgumentException("this is not an authority that was made here");
        }
    }

    /// Whether a sandbox that trusts this authority trusts what it signs for the name.
    public static boolean signsFor(String certificatePem, HostName name) {
        try {
            return Certificates.permits(parse(certificatePem), name);
        } catch (CertificateException _) {
            return false;
        }
    }

    private static X509Certificate parse(String pem) throws CertificateException {
        byte[] bytes = pem.getBytes(StandardCharsets.US_ASCII);
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(bytes));
    }

    private static String pem(X509Certificate certificate) {
        try {
            String body =
                    Base64.getMimeEncoder(64, new byte[] {'\n'})
                            .encodeToString(certificate.getEncoded());
            return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
        } catch (CertificateException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Secret secret(PrivateKey key) {
        byte[] encoded = key.getEncoded();
        byte[] text = Base64.getEncoder().encode(encoded);
        Secret secret = Secret.of(text);
        Arrays.fill(encoded, (byte) 0);
        Arrays.fill(text, (byte) 0);
        return secret;
    }

    private PrivateKey privateKey() throws GeneralSecurityException {
        byte[] text = key.reveal();
        try {
            byte[] encoded = Base64.getDecoder().decode(text);
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (IllegalArgumentException _) {
            throw new InvalidKeyException("it is not Base64, or has been wiped");
        } finally {
            Arrays.fill(text, (byte) 0);
        }
    }

    /// What the sandbox has to trust.
    public String certificatePem() {
        return certificatePem;
    }

    /// For whoever keeps it or hands it on.
    public Secret key() {
        return key;
    }

    X509Certificate certificate() {
        return certificate;
    }

    /// A certificate for this host alone.
    X509Certificate certify(HostName host, PublicKey hostKey) throws GeneralSecurityException {
        return Certificates.leaf(host, hostKey, certificate, privateKey());
    }

    /// Signs nothing any more; called when the session ends.
    public void wipe() {
        key.wipe();
    }

    @Override
    public String toString() {
        return "Authority[redacted]";
    }
}
