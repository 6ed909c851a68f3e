package dev.sallyport.fleet;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/// The public key of a sidecar: a point of P-256 as a SubjectPublicKeyInfo, in its one spelling.
///
/// @param text the bytes in Base64
record SessionKey(String text) {
    /// All that comes before the two coordinates (RFC 5480, uncompressed point).
    private static final byte[] PREFIX =
            HexFormat.of().parseHex("3059301306072a8648ce3d020106082a8648ce3d03010703420004");

    private static final int BYTES = PREFIX.length + 64;

    /// @throws IllegalArgumentException when it is not such a point
    SessionKey {
        byte[] spki = Base64.getDecoder().decode(text);
        if (spki.length != BYTES
                || !Arrays.equals(spki, 0, PREFIX.length, PREFIX, 0, PREFIX.length)
                || !isOnCurve(point(spki))) {
            throw new IllegalArgumentException("this is not a point of P-256");
        }
    }

    static SessionKey parse(byte[] spki) throws RefusedException {
        if (spki.length != BYTES) {
            throw new RefusedException(FleetRefusal.BAD_KEY);
        }
        try {
            return new SessionKey(Base64.getEncoder().encodeToString(spki));
        } catch (IllegalArgumentException _) {
            throw new RefusedException(FleetRefusal.BAD_KEY);
        }
    }

    /// The JDK takes coordinates as they are (CVE-2015-7940 was such a case).
    private static boolean isOnCurve(ECPublicKey key) {
        ECParameterSpec curve = key.getParams();
        BigInteger p = ((ECFieldFp) curve.getCurve().getField()).getP();
        BigInteger x = key.getW().getAffineX();
        BigInteger y = key.getW().getAffineY();
        BigInteger right =
                x.pow(3)
                        .add(curve.getCurve().getA().multiply(x))
                        .add(curve.getCurve().getB())
                        .mod(p);
        return x.compareTo(p) < 0 && y.compareTo(p) < 0 && y.pow(2).mod(p).equals(right);
    }

    private static ECPublicKey point(byte[] spki) {
        try {
            return (ECPublicKey)
                    KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(spki));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("this is not a key", e);
        }
    }

    PublicKey key() {
        return point(bytes());
    }

    byte[] bytes() {
        return Base64.getDecoder().decode(text);
    }

    /// Whether its private half signed this, with ECDSA and SHA-256.
    boolean verifies(byte[] signed, byte[] signature) {
        try {
            Signature verifier = Signature.getInstance("SHA256withECDSA");
            verifier.initVerify(key());
            verifier.update(signed);
            return verifier.verify(signature);
        } catch (GeneralSecurityException _) {
            return false;
        }
    }
}
