package dev.sallyport.fleet;

import dev.sallyport.credential.CertifiedKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// How a host that has pinned an authority of a gateway learns of the next one: from a signature by
/// the key of the one that it has pinned. Only the warden has that key, so a gateway process that
/// was taken over cannot put another in its place.
public final class PinnedAuthorities {
    private static final byte[] PREFIX = "sallyport-authority".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX = 2;

    private PinnedAuthorities() {}

    /// An authority as its gateway tells of it.
    ///
    /// @param endorsement signature of the one before, in Base64; empty when there is none
    public record Told(String certificatePem, String endorsement) {}

    /// What requests to the gateway with this authority are addressed to; see
    /// [FleetAuthority#audience(java.security.cert.X509Certificate)].
    ///
    /// @param pem of one that is pinned
    /// @throws IllegalArgumentException when it is no certificate
    public static String audience(String pem) {
        try {
            return FleetAuthority.audience(CertifiedKey.parse(pem));
        } catch (CertificateException e) {
            throw new IllegalArgumentException(
                    "the certificate of the gateway's authority is damaged", e);
        }
    }

    static String endorse(PrivateKey before, X509Certificate next) throws GeneralSecurityException {
        return sign(before, PREFIX, next.getEncoded());
    }

    /// ECDSA with SHA-256, in Base64, over all parts.
    static String sign(PrivateKey authority, byte[]... parts) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(authority);
        for (byte[] part : parts) {
            signature.update(part);
        }
        return Base64.getEncoder().encodeToString(signature.sign());
    }

    /// Whether the key of this authority made that signature.
    static boolean isSigned(String pinnedPem, String base64, byte[]... parts) {
        try {
            PublicKey authority = CertifiedKey.parse(pinnedPem).getPublicKey();
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initVerify(authority);
            for (byte[] part : parts) {
                signature.update(part);
            }
            return signature.verify(Base64.getDecoder().decode(base64));
        } catch (GeneralSecurityException | IllegalArgumentException _) {
            return false;
        }
    }

    /// What a host trusts after its gateway has told of these: those that it trusts already, and
    /// those that one of them endorses. What it is not told of any more goes, but never the last.
    ///
    /// @param pinned in PEM
    public static List<String> after(List<String> pinned, List<Told> told) {
        List<String> kept = new ArrayList<>();
        for (Told one : told) {
            boolean good =
                    pinned.contains(one.certificatePem())
                            || pinned.stream().anyMatch(pem -> isEndorsed(pem, one));
            if (good && kept.size() < MAX) {
                kept.add(one.certificatePem());
            }
        }
        return kept.isEmpty() ? pinned : kept;
    }

    private static boolean isEndorsed(String pinnedPem, Told next) {
        try {
            byte[] certificate = CertifiedKey.parse(next.certificatePem()).getEncoded();
            return isSigned(pinnedPem, next.endorsement(), PREFIX, certificate);
        } catch (CertificateException _) {
            return false;
        }
    }
}
