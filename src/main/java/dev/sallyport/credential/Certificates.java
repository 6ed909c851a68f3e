package dev.sallyport.credential;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.GeneralSubtree;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.NameConstraints;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// The certificates that sandboxes and sidecars get to see, as RFC 5280 wants them; Python 3.13 and
/// others verify in strict mode, so nothing that it demands is left out.
final class Certificates {
    /// A sandbox's clock may be behind.
    private static final Duration CLOCK_SKEW = Duration.ofHours(1);

    private static final Duration GRACE = Duration.ofDays(1);
    private static final int IPV4_NETWORK_BYTES = 8;
    private static final int IPV6_NETWORK_BYTES = 32;

    /// Not the host's name: a common name has at most 64 characters, and nobody reads it any more.
    private static final X500Name HOST_SUBJECT = new X500Name("CN=Inspected by Sallyport");

    private static final SecureRandom RANDOM = new SecureRandom();

    private Certificates() {}

    static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// From when and until when a certificate is good.
    record Span(Instant from, Instant until) {
        /// No longer than the certificate that signs.
        Span within(X509Certificate authority) {
            Instant latest = authority.getNotAfter().toInstant();
            return until.isBefore(latest) ? this : new Span(from, latest);
        }
    }

    /// May sign for `names` and what is below them, never for an address, and not for another
    /// authority.
    static X509Certificate authority(
            SessionId session, List<HostName> names, KeyPair keys, Instant sessionEnds) {
        X500Name subject = new X500Name("CN=Sallyport sandbox " + session.value());
        Span span = new Span(Instant.now().minus(CLOCK_SKEW), sessionEnds.plus(GRACE));
        return root(subject, keys, span, Optional.of(constraints(names)));
    }

    /// May sign for anything but another authority.
    static X509Certificate issuer(X500Name subject, KeyPair keys, Span span) {
        return root(subject, keys, span, Optional.empty());
    }

    private static X509Certificate root(
            X500Name subject, KeyPair keys, Span span, Optional<NameConstraints> constraints) {
        try {
            Draft draft =
                    new Draft(
                                    new JcaX509v3CertificateBuilder(
                                            subject,
                                            serial(),
                                            Date.from(span.from()),
                                            Date.from(span.until()),
                                            subject,
                                            keys.getPublic()))
                            .critical(Extension.basicConstraints, new BasicConstraints(0))
                            .critical(Extension.keyUsage, new KeyUsage(KeyUsage.keyCertSign));
            if (constraints.isPresent()) {
                draft = draft.critical(Extension.nameConstraints, constraints.get());
            }
            return draft.plain(
                            Extension.subjectKeyIdentifier,
                            new JcaX509ExtensionUtils()
                                    .createSubjectKeyIdentifier(keys.getPublic()))
                    .signed(keys.getPrivate());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static NameConstraints constraints(List<HostName> names) {
        GeneralSubtree[] permitted =
                names.stream()
                        .map(name -> new GeneralName(GeneralName.dNSName, name.value()))
                        .map(GeneralSubtree::new)
                        .toArray(GeneralSubtree[]::new);
        return new NameConstraints(
                permitted,
                new GeneralSubtree[] {
                    allAddresses(IPV4_NETWORK_BYTES), allAddresses(IPV6_NETWORK_BYTES)
                });
    }

    /// Whether the names that this authority is for include this one.
    static boolean permits(X509Certificate authority, HostName name) {
        byte[] extension = authority.getExtensionValue(Extension.nameConstraints.getId());
        if (extension == null) {
            return false;
        }
        byte[] content = ASN1OctetString.getInstance(extension).getOctets();
        return Arrays.stream(NameConstraints.getInstance(content).getPermittedSubtrees())
                .map(GeneralSubtree::getBase)
                .filter(base -> base.getTagNo() == GeneralName.dNSName)
                .map(base -> base.getName().toString())
                .anyMatch(base -> ("." + name.value()).endsWith("." + base));
    }

    /// Address and mask of nothing but zeros (RFC 5280, section 4.2.1.10).
    private static GeneralSubtree allAddresses(int bytes) {
        return new GeneralSubtree(
                new GeneralName(GeneralName.iPAddress, new DEROctetString(new byte[bytes])));
    }

    /// For one host and nothing else, signed by an authority.
    static X509Certificate leaf(HostName host, PublicKey key, CertifiedKey authority)
            throws GeneralSecurityException {
        Instant now = Instant.now();
        Leaf leaf =
                new Leaf(
                        HOST_SUBJECT,
                        new GeneralName(GeneralName.dNSName, host.value()),
                        KeyPurposeId.id_kp_serverAuth,
                        key);
        Span span = new Span(now.minus(CLOCK_SKEW), now.plus(HostCertificates.VALIDITY));
        return signed(leaf, span, authority);
    }

    /// What is to be certified.
    record Leaf(X500Name subject, GeneralName name, KeyPurposeId use, PublicKey key) {}

    /// For one name and one use, no longer than the authority that signs it is good.
    static X509Certificate signed(Leaf leaf, Span span, CertifiedKey authority)
            throws GeneralSecurityException {
        Span within = span.within(authority.certificate());
        JcaX509v3CertificateBuilder builder =
                new JcaX509v3CertificateBuilder(
                        authority.certificate(),
                        serial(),
                        Date.from(within.from()),
                        Date.from(within.until()),
                        leaf.subject(),
                        leaf.key());
        return new Draft(builder)
                .critical(Extension.basicConstraints, new BasicConstraints(false))
                .critical(Extension.keyUsage, new KeyUsage(KeyUsage.digitalSignature))
                .plain(Extension.extendedKeyUsage, new ExtendedKeyUsage(leaf.use()))
                .plain(Extension.subjectAlternativeName, new GeneralNames(leaf.name()))
                .plain(
                        Extension.authorityKeyIdentifier,
                        new JcaX509ExtensionUtils()
                                .createAuthorityKeyIdentifier(authority.certificate()))
                .signed(authority.privateKey());
    }

    private static BigInteger serial() {
        return new BigInteger(120, RANDOM).add(BigInteger.ONE);
    }

    /// A certificate that is not signed yet.
    private record Draft(X509v3CertificateBuilder builder) {
        Draft critical(ASN1ObjectIdentifier name, ASN1Encodable value)
                throws GeneralSecurityException {
            return with(name, true, value);
        }

        Draft plain(ASN1ObjectIdentifier name, ASN1Encodable value)
                throws GeneralSecurityException {
            return with(name, false, value);
        }

        private Draft with(ASN1ObjectIdentifier name, boolean critical, ASN1Encodable value)
                throws GeneralSecurityException {
            try {
                builder.addExtension(name, critical, value);
                return this;
            } catch (IOException e) {
                throw new GeneralSecurityException(e);
            }
        }

        X509Certificate signed(PrivateKey key) throws GeneralSecurityException {
            try {
                return new JcaX509CertificateConverter()
                        .getCertificate(
                                builder.build(
                                        new JcaContentSignerBuilder("SHA256withECDSA").build(key)));
            } catch (OperatorCreationException e) {
                throw new GeneralSecurityException(e);
            }
        }
    }
}
