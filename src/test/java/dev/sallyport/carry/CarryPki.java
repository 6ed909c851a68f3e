package dev.sallyport.carry;

import io.netty.handler.ssl.SslContext;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// An authority for the connections of other machines, as long as a test lasts.
public final class CarryPki {
    private static final X500Name NAME = new X500Name("CN=Test fleet");
    private static final SecureRandom RANDOM = new SecureRandom();

    /// A certificate and its key.
    public record Leaf(KeyPair keys, String pem) {}

    private final KeyPair keys = newKeys();
    private final X509Certificate certificate = authority();

    public String pem() {
        return pem(certificate);
    }

    /// For a server of this name.
    public Leaf server(String name) {
        return leaf(new GeneralName(GeneralName.dNSName, name), Instant.now().plusSeconds(3_600));
    }

    public Leaf session(String id) {
        return session(id, Instant.now().plusSeconds(3_600));
    }

    public Leaf session(String id, Instant until) {
        return leaf(ofSession(id), until);
    }

    /// A session's certificate for a key that somebody else has.
    public String certify(PublicKey key, String id) {
        return certificate(key, ofSession(id), Instant.now().plusSeconds(3_600));
    }

    private static GeneralName ofSession(String id) {
        return new GeneralName(GeneralName.uniformResourceIdentifier, "sallyport:session:" + id);
    }

    /// The gateway's side, as it should be.
    public SslContext serverContext() {
        return serverContext(server(CarryTls.GATEWAY));
    }

    public SslContext serverContext(Leaf leaf) {
        byte[] pkcs8 = leaf.keys().getPrivate().getEncoded();
        return CarryTls.server(leaf.pem(), pkcs8, List.of(pem()));
    }

    public SslContext clientContext(Leaf leaf) {
        return CarryTls.client(leaf.pem(), leaf.keys().getPrivate(), List.of(pem()));
    }

    private Leaf leaf(GeneralName name, Instant until) {
        KeyPair own = newKeys();
        return new Leaf(own, certificate(own.getPublic(), name, until));
    }

    private String certificate(PublicKey key, GeneralName name, Instant until) {
        try {
            X509v3CertificateBuilder builder =
                    new JcaX509v3CertificateBuilder(
                            NAME,
                            new BigInteger(64, RANDOM),
                            Date.from(Instant.now().minus(Duration.ofDays(1))),
                            Date.from(until),
                            new X500Name("CN=leaf"),
                            key);
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(name));
            return pem(signed(builder));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private X509Certificate authority() {
        try {
            X509v3CertificateBuilder builder =
                    new JcaX509v3CertificateBuilder(
                            NAME,
                            BigInteger.ONE,
                            Date.from(Instant.now().minus(Duration.ofDays(1))),
                            Date.from(Instant.now().plus(Duration.ofDays(1))),
                            NAME,
                            keys.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            return signed(builder);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private X509Certificate signed(X509v3CertificateBuilder builder) throws Exception {
        return new JcaX509CertificateConverter()
                .getCertificate(
                        builder.build(
                                new JcaContentSignerBuilder("SHA256withECDSA")
                                        .build(keys.getPrivate())));
    }

    private static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
            return generator.generateKeyPair();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String pem(X509Certificate one) {
        try {
            String body =
                    Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(one.getEncoded());
            return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
