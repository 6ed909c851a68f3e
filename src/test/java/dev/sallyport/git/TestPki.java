package dev.sallyport.git;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// A certificate authority that lives as long as the test.
final class TestPki {
    private static final char[] NO_PASSWORD = new char[0];
    private static final X500Name AUTHORITY = new X500Name("CN=Test CA");

    private final KeyPair authorityKey = newKey();
    private final X509Certificate authority =
            certificate(
                    AUTHORITY,
                    authorityKey,
                    Extension.basicConstraints,
                    new BasicConstraints(true));

    String caPem() {
        StringWriter pem = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(pem)) {
            writer.writeObject(authority);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return pem.toString();
    }

    /// A server side whose certificate is for `host` and nothing else.
    SSLContext server(String host) {
        KeyPair key = newKey();
        GeneralNames names = new GeneralNames(new GeneralName(GeneralName.dNSName, host));
        X509Certificate leaf =
                certificate(
                        new X500Name("CN=" + host), key, Extension.subjectAlternativeName, names);
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, NO_PASSWORD);
            store.setKeyEntry(
                    "leaf", key.getPrivate(), NO_PASSWORD, new X509Certificate[] {leaf, authority});
            KeyManagerFactory keys =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private static KeyPair newKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private X509Certificate certificate(
            X500Name subject,
            KeyPair key,
            org.bouncycastle.asn1.ASN1ObjectIdentifier extension,
            org.bouncycastle.asn1.ASN1Encodable value) {
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder =
                new JcaX509v3CertificateBuilder(
                        AUTHORITY,
                        BigInteger.valueOf(System.nanoTime()),
                        Date.from(now.minus(Duration.ofHours(1))),
                        Date.from(now.plus(Duration.ofHours(6))),
                        subject,
                        key.getPublic());
        try {
            builder.addExtension(extension, true, value);
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(
                                    new JcaContentSignerBuilder("SHA256withECDSA")
                                            .build(authorityKey.getPrivate())));
        } catch (CertIOException | OperatorCreationException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
