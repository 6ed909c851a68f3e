package dev.sallyport.credential;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;

/// A pair of keys that signs with Ed25519 (RFC 8032).
public final class Ed25519Key {
    /// Of a public key.
    public static final int BYTES = 32;

    private static final String ALGORITHM = "Ed25519";

    /// What X.509 puts before the bytes of such a key (RFC 8410).
    private static final byte[] X509_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

    private final Secret secret;
    private final byte[] publicKey;

    private Ed25519Key(Secret secret, byte[] publicKey) {
        this.secret = secret;
        this.publicKey = publicKey;
    }

    /// A new one.
    public static Ed25519Key create() {
        try {
            KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
            byte[] x509 = pair.getPublic().getEncoded();
            return new Ed25519Key(
                    KeyForm.secret(pair.getPrivate()),
                    Arrays.copyOfRange(x509, X509_PREFIX.length, x509.length));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// One that was made before.
    ///
    /// @param secret PKCS #8 in Base64
    /// @throws IllegalArgumentException when the two are no pair
    public static Ed25519Key of(Secret secret, byte[] publicKey) {
        Ed25519Key key = new Ed25519Key(secret, publicKey.clone());
        byte[] probe = {1};
        try {
            if (verifies(publicKey, probe, key.signature(probe))) {
                return key;
            }
        } catch (GeneralSecurityException _) {
            // Said below, without what a library says about a key.
        }
        throw new IllegalArgumentException("this is not a pair of keys that was made here");
    }

    /// The private half, for whoever keeps it.
    public Secret secret() {
        return secret;
    }

    public byte[] publicKey() {
        return publicKey.clone();
    }

    /// The signature of a text.
    ///
    /// @throws IllegalStateException when it has been wiped
    public byte[] sign(byte[] text) {
        try {
            return signature(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key that was checked does not sign", e);
        }
    }

    private byte[] signature(byte[] text) throws GeneralSecurityException {
        PrivateKey key = KeyForm.privateKey(secret, ALGORITHM);
        Signature signature = Signature.getInstance(ALGORITHM);
        signature.initSign(key);
        signature.update(text);
        return signature.sign();
    }

    /// Whether a public key can be one.
    public static boolean isPublicKey(byte[] publicKey) {
        try {
            var _ = parse(publicKey);
            return true;
        } catch (GeneralSecurityException _) {
            return false;
        }
    }

    /// False as well for what is no key or no signature.
    public static boolean verifies(byte[] publicKey, byte[] text, byte[] signed) {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initVerify(parse(publicKey));
            signature.update(text);
            return signature.verify(signed);
        } catch (GeneralSecurityException _) {
            return false;
        }
    }

    private static PublicKey parse(byte[] publicKey) throws GeneralSecurityException {
        byte[] x509 = Arrays.copyOf(X509_PREFIX, X509_PREFIX.length + publicKey.length);
        System.arraycopy(publicKey, 0, x509, X509_PREFIX.length, publicKey.length);
        return KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(x509));
    }

    @Override
    public String toString() {
        return "Ed25519Key[redacted]";
    }
}
