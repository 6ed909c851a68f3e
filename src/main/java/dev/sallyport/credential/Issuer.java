package dev.sallyport.credential;

import dev.sallyport.policy.HostName;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.time.Instant;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.KeyPurposeId;

/// A certificate authority for machines that run Sallyport: it certifies a gateway, and clients of
/// it. Nothing in a sandbox trusts it.
public final class Issuer {
    private static final X500Name SERVER = new X500Name("CN=Sallyport gateway");
    private static final X500Name CLIENT = new X500Name("CN=Sallyport session");

    private final CertifiedKey own;

    private Issuer(CertifiedKey own) {
        this.own = own;
    }

    /// A new one.
    ///
    /// @param name of letters, digits and blanks
    public static Issuer create(String name, Instant from, Instant until) {
        KeyPair keys = Certificates.newKeys();
        X500Name subject = new X500Name("CN=" + name);
        Certificates.Span span = new Certificates.Span(from, until);
        return new Issuer(CertifiedKey.of(Certificates.issuer(subject, keys, span), keys));
    }

    /// One that was made before.
    ///
    /// @throws IllegalArgumentException when its certificate is not that of an authority
    public static Issuer of(CertifiedKey own) {
        if (own.certificate().getBasicConstraints() < 0) {
            throw new IllegalArgumentException("this is not an authority");
        }
        return new Issuer(own);
    }

    public CertifiedKey own() {
        return own;
    }

    /// A new key, certified for a server of this name, for no longer than this authority is good.
    public CertifiedKey server(HostName name, Instant from, Instant until)
            throws GeneralSecurityException {
        KeyPair keys = Certificates.newKeys();
        Certificates.Leaf leaf =
                new Certificates.Leaf(
                        SERVER,
                        new GeneralName(GeneralName.dNSName, name.value()),
                        KeyPurposeId.id_kp_serverAuth,
                        keys.getPublic());
        Certificates.Span span = new Certificates.Span(from, until);
        return CertifiedKey.of(Certificates.signed(leaf, span, own), keys);
    }

    /// A certificate in PEM for a client that has the private key.
    ///
    /// @param name what the client is, as its one alternative name
    public String client(PublicKey key, URI name, Instant from, Instant until)
            throws GeneralSecurityException {
        Certificates.Leaf leaf =
                new Certificates.Leaf(
                        CLIENT,
                        new GeneralName(GeneralName.uniformResourceIdentifier, name.toString()),
                        KeyPurposeId.id_kp_clientAuth,
                        key);
        Certificates.Span span = new Certificates.Span(from, until);
        return CertifiedKey.pem(Certificates.signed(leaf, span, own));
    }

    @Override
    public String toString() {
        return "Issuer[redacted]";
    }
}
