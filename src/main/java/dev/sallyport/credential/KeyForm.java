package dev.sallyport.credential;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;

/// How the private keys that Sallyport makes are kept: PKCS #8 in Base64, as a [Secret].
final class KeyForm {
    private KeyForm() {}

    static Secret secret(PrivateKey key) {
        byte[] encoded = key.getEncoded();
        byte[] text = Base64.getEncoder().encode(encoded);
        Secret secret = Secret.of(text);
        Arrays.fill(encoded, (byte) 0);
        Arrays.fill(text, (byte) 0);
        return secret;
    }

    static PrivateKey privateKey(Secret secret, String algorithm) throws GeneralSecurityException {
        byte[] text = secret.reveal();
        byte[] encoded = {};
        try {
            encoded = Base64.getDecoder().decode(text);
            return KeyFactory.getInstance(algorithm)
                    .generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (IllegalArgumentException _) {
            throw new InvalidKeyException("it is not Base64, or has been wiped");
        } finally {
            Arrays.fill(text, (byte) 0);
            Arrays.fill(encoded, (byte) 0);
        }
    }
}
