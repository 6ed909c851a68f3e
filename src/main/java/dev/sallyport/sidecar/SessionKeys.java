package dev.sallyport.sidecar;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The keys of one session's certificates. They are made here, and are never anywhere but in the
/// memory of this process. Used on one thread.
final class SessionKeys {
    /// What a proof is a signature of begins so, that it can never be one of something else.
    private static final byte[] RENEWAL = "sallyport-renew".getBytes(StandardCharsets.US_ASCII);

    private final byte[] session;
    private @Nullable KeyPair current;
    private @Nullable KeyPair next;

    SessionKeys(String session) {
        this.session = session.getBytes(StandardCharsets.US_ASCII);
    }

    /// A public key to be certified, in Base64.
    ///
    /// @param proof that whoever has the present key wants it, likewise; empty when there is none
    record Wanted(String key, String proof) {}

    /// The next key, with a proof by the present one.
    Wanted renew() {
        try {
            KeyPair made = newKeys();
            byte[] key = made.getPublic().getEncoded();
            byte[] proof = current == null ? new byte[0] : proof(current.getPrivate(), key);
            next = made;
            Base64.Encoder text = Base64.getEncoder();
            return new Wanted(text.encodeToString(key), text.encodeToString(proof));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The first key again: what was certified before is of no use any more.
    Wanted begin() {
        current = null;
        return renew();
    }

    private static KeyPair newKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private byte[] proof(PrivateKey by, byte[] key) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(by);
        signature.update(RENEWAL);
        signature.update(session);
        signature.update(key);
        return signature.sign();
    }

    /// A key is certified; empty when another one is wanted by now.
    ///
    /// @param key the public one, in Base64
    Optional<PrivateKey> certified(String key) {
        KeyPair now = next;
        if (now == null
                || !Arrays.equals(Base64.getDecoder().decode(key), now.getPublic().getEncoded())) {
            return Optional.empty();
        }
        current = now;
        return Optional.of(now.getPrivate());
    }
}
