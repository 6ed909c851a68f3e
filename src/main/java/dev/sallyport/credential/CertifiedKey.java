package dev.sallyport.credential;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;

/// A certificate, and the private key that belongs to it.
public final class CertifiedKey {
    private final String certificatePem;
    private final X509Certificate certificate;
    private final Secret key;

    private CertifiedKey(String certificatePem, X509Certificate certificate, Secret key) {
        this.certificatePem = certificatePem;
        this.certificate = certificate;
        this.key = key;
    }

    static CertifiedKey of(X509Certificate certificate, KeyPair keys) {
        return new CertifiedKey(pem(certificate), certificate, KeyForm.secret(keys.getPrivate()));
    }

    /// One that was made before.
    ///
    /// @param key PKCS #8 in Base64
    /// @throws IllegalArgumentException when either part cannot be read
    public static CertifiedKey of(String certificatePem, Secret key) {
        try {
            CertifiedKey read = new CertifiedKey(certificatePem, parse(certificatePem), key);
            var _ = read.privateKey();
            return read;
        } catch (GeneralSecurityException _) {
            throw new IllegalArgumentException("this is not a certificate with its key");
        }
    }

    /// Reads one certificate.
    ///
    /// @throws CertificateException when it is none
    public static X509Certificate parse(String pem) throws CertificateException {
        byte[] bytes = pem.getBytes(StandardCharsets.US_ASCII);
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(bytes));
    }

    public static String pem(X509Certificate certificate) {
        try {
            String body =
                    Base64.getMimeEncoder(64, new byte[] {'\n'})
                            .encodeToString(certificate.getEncoded());
            return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
        } catch (CertificateException e) {
            throw new IllegalStateException(e);
        }
    }

    public String certificatePem() {
        return certificatePem;
    }

    public X509Certificate certificate() {
        return certificate;
    }

    /// For whoever keeps it or hands it on.
    public Secret key() {
        return key;
    }

    /// For whoever speaks TLS with it.
    ///
    /// @throws GeneralSecurityException when it has been wiped
    public PrivateKey privateKey() throws GeneralSecurityException {
        return KeyForm.privateKey(key, "EC");
    }

    /// Signs nothing any more.
    public void wipe() {
        key.wipe();
    }

    @Override
    public String toString() {
        return "CertifiedKey[redacted]";
    }
}
