package dev.sallyport.credential;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// What somebody who stole an authority's key could sign, and the gateway never does: a certificate
/// for an address.
final class AddressLeaf {
    private AddressLeaf() {}

    static X509Certificate sign(Authority authority, String address) throws Exception {
        byte[] key = Base64.getDecoder().decode(text(authority.key()));
        PrivateKey signer =
                KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key));
        X509CertificateHolder issuer;
        try (PEMParser parser =
                new PEMParser(new java.io.StringReader(authority.certificatePem()))) {
            issuer = (X509CertificateHolder) parser.readObject();
        }
        JcaX509v3CertificateBuilder builder =
                new JcaX509v3CertificateBuilder(
                        issuer.getSubject(),
                        BigInteger.TEN,
                        Date.from(Instant.now().minus(Duration.ofHours(1))),
                        Date.from(Instant.now().plus(Duration.ofHours(1))),
                        new X500Name("CN=address"),
                        Certificates.newKeys().getPublic());
        builder.addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(new GeneralName(GeneralName.iPAddress, address)));
        builder.addExtension(
                Extension.authorityKeyIdentifier,
                false,
                new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(issuer));
        return new JcaX509CertificateConverter()
                .getCertificate(
                        builder.build(
                                new JcaContentSignerBuilder("SHA256withECDSA").build(signer)));
    }

    private static String text(Secret secret) {
        return new String(secret.reveal(), StandardCharsets.US_ASCII);
    }
}
