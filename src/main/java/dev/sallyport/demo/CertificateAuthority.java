package dev.sallyport.demo;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// An authority that lives as long as one upstream does and signs for it, so that the gateway has a
/// real certificate to verify.
public final class CertificateAuthority {
    private static final Duration VALIDITY = Duration.ofDays(1);
    private static final Duration CLOCK_SKEW = Duration.ofHours(1);
    private static final X500Name NAME = new X500Name("CN=Sallyport demo authority");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final KeyPair keys;
    private final X509Certificate certificate;

    private CertificateAuthority(KeyPair keys, X509Certificate certificate) {
        this.keys = keys;
        this.certificate = certificate;
    }

    public static CertificateAuthority create() throws GeneralSecurityException {
        KeyPair keys = newKeys();
        try {
            X509v3CertificateBuilder builder = builder(NAME, keys.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign));
            return new CertificateAuthority(keys, sign(builder, keys.getPrivate()));
        } catch (IOException | OperatorCreationException e) {
            throw new GeneralSecurityException("the authority's certificate could not be made", e);
        }
    }

    /// What a client has to trust.
    public String pem() throws GeneralSecurityException {
        String body =
                Base64.getMimeEncoder(64, new byte[] {'\n'})
                        .encodeToString(certificate.getEncoded());
        return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
    }

    /// A context for a server of this host name.
    public SSLContext serverContext(String... hosts) throws GeneralSecurityException {
        KeyPair leafKeys = newKeys();
        X509Certificate leaf = leaf(hosts, leafKeys.getPublic());
        try {
            // PKCS #12 would encrypt the key for us alone, and take most of the time.
            KeyStore store = KeyStore.getInstance("JKS");
            store.load(null, null);
            store.setKeyEntry(
                    "server",
                    leafKeys.getPrivate(),
                    new char[0],
                    new Certificate[] {leaf, certificate});
            KeyManagerFactory managers =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, RANDOM);
            return context;
        } catch (IOException e) {
            throw new GeneralSecurityException("an empty key store could not be made", e);
        }
    }

    private X509Certificate leaf(String[] hosts, PublicKey key) throws GeneralSecurityException {
        try {
            X509v3CertificateBuilder builder = builder(new X500Name("CN=" + hosts[0]), key);
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(
                    Extension.extendedKeyUsage,
                    false,
                    new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(
                            Arrays.stream(hosts)
                                    .map(host -> new GeneralName(GeneralName.dNSName, host))
                                    .toArray(GeneralName[]::new)));
            return sign(builder, keys.getPrivate());
        } catch (IOException | OperatorCreationException e) {
            throw new GeneralSecurityException("the server's certificate could not be made", e);
        }
    }

    private static X509v3CertificateBuilder builder(X500Name subject, PublicKey key) {
        Instant now = Instant.now();
        return new JcaX509v3CertificateBuilder(
                NAME,
                new BigInteger(120, RANDOM).add(BigInteger.ONE),
                Date.from(now.minus(CLOCK_SKEW)),
                Date.from(now.plus(VALIDITY)),
                subject,
                key);
    }

    private static X509Certificate sign(X509v3CertificateBuilder builder, PrivateKey key)
            throws OperatorCreationException, GeneralSecurityException {
        return new JcaX509CertificateConverter()
                .getCertificate(
                        builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key)));
    }

    private static KeyPair newKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
        return generator.generateKeyPair();
    }
}
