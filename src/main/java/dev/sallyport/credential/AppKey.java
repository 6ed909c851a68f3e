package dev.sallyport.credential;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.interfaces.RSAPrivateCrtKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMEncryptedKeyPair;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.pkcs.PKCS8EncryptedPrivateKeyInfo;
import org.jspecify.annotations.Nullable;

/// The private key of a GitHub App, or of a Google service account. It signs and cannot be got out
/// of here: whoever has it can have tokens for everything that the App is installed on, or that the
/// account may do.
public final class AppKey {
    private static final int BITS_MIN = 2_048;

    /// GitHub's clock may be behind ours.
    private static final Duration BACK = Duration.ofSeconds(60);

    /// GitHub takes ten minutes at most. It is used at once.
    private static final Duration LIFE = Duration.ofMinutes(3);

    private static final Base64.Encoder URL = Base64.getUrlEncoder().withoutPadding();
    private static final String HEADER = "{\"alg\":\"RS256\",\"typ\":\"JWT\"}";

    /// As many characters as a line of PEM has.
    private static final int LINE_CHARS = 64;

    private final RSAPrivateCrtKey key;

    private AppKey(RSAPrivateCrtKey key) {
        this.key = key;
    }

    /// What a person gave is not the key of an App.
    public static final class BadKeyException extends Exception {
        private static final long serialVersionUID = 1L;
        private final String problem;
        private final String remedy;

        BadKeyException(String problem, String remedy) {
            super(problem);
            this.problem = problem;
            this.remedy = remedy;
        }

        public String problem() {
            return problem;
        }

        public String remedy() {
            return remedy;
        }
    }

    /// The form in which it is kept, PKCS #8 in Base64, of a key in PEM (PKCS #1, as GitHub gives
    /// it out, or PKCS #8). The caller wipes what it read.
    public static Secret ofPem(byte[] pem) throws BadKeyException {
        byte[] encoded = {};
        byte[] text = {};
        try {
            encoded = info(pem).getEncoded();
            text = Base64.getEncoder().encode(encoded);
            if (text.length > Secret.BYTES_MAX) {
                throw bad("The key is too large.");
            }
            Secret secret = Secret.of(text);
            var _ = of(secret);
            return secret;
        } catch (IOException e) {
            throw bad("The key cannot be read.");
        } finally {
            Arrays.fill(encoded, (byte) 0);
            Arrays.fill(text, (byte) 0);
        }
    }

    private static PrivateKeyInfo info(byte[] pem) throws BadKeyException {
        @Nullable Object found;
        try (PEMParser parser =
                new PEMParser(
                        new InputStreamReader(
                                new ByteArrayInputStream(pem), StandardCharsets.ISO_8859_1))) {
            found = parser.readObject();
        } catch (IOException | RuntimeException _) {
            // Without the cause, whose message may quote the key.
            throw bad("The key is damaged: it is not valid PEM.");
        }
        return switch (found) {
            case PEMKeyPair pair -> pair.getPrivateKeyInfo();
            case PrivateKeyInfo info -> info;
            case PEMEncryptedKeyPair _, PKCS8EncryptedPrivateKeyInfo _ ->
                    throw new BadKeyException(
                            "The key is protected with a passphrase.",
                            "Remove it: openssl rsa -in key.pem -out plain.pem");
            case null ->
                    throw bad("There is no private key: no line -----BEGIN RSA PRIVATE KEY-----.");
            default -> throw bad("This is PEM, but not a private key.");
        };
    }

    /// One that is kept.
    ///
    /// @param stored as [#ofPem] makes it
    public static AppKey of(Secret stored) throws BadKeyException {
        try {
            if (!(KeyForm.privateKey(stored, "RSA") instanceof RSAPrivateCrtKey rsa)) {
                throw bad("The key lacks parts of a private RSA key.");
            }
            if (rsa.getModulus().bitLength() < BITS_MIN) {
                throw bad("The key has fewer than " + BITS_MIN + " bits.");
            }
            return new AppKey(rsa);
        } catch (GeneralSecurityException | IllegalArgumentException _) {
            throw bad("The key is not a private RSA key.");
        }
    }

    private static BadKeyException bad(String problem) {
        return new BadKeyException(
                problem,
                "Generate a private key in the settings of the GitHub App, and give the .pem file as"
                        + " it was downloaded.");
    }

    /// What proves for a few minutes to be the App (RFC 7519, signed with RS256).
    ///
    /// @param issuer the App's id or client id, of characters that need no escape in JSON
    public Secret assertion(String issuer, Instant now) {
        String claims =
                "{\"iat\":%d,\"exp\":%d,\"iss\":\"%s\"}"
                        .formatted(
                                now.minus(BACK).getEpochSecond(),
                                now.plus(LIFE).getEpochSecond(),
                                issuer);
        return Secret.of(signed(claims).getBytes(StandardCharsets.US_ASCII));
    }

    /// @param claims as JSON, all of it ASCII
    String signed(String claims) {
        String signed = encoded(HEADER) + "." + encoded(claims);
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(key);
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + URL.encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key that was checked does not sign", e);
        }
    }

    private static String encoded(String json) {
        return URL.encodeToString(json.getBytes(StandardCharsets.US_ASCII));
    }

    /// What gives the key away wherever it is found: one line from the private part of each of the
    /// two forms in which such a key is written.
    public List<Secret> traces() {
        byte[] whole = key.getEncoded();
        byte[] inner = PrivateKeyInfo.getInstance(whole).getPrivateKey().getOctets();
        try {
            return Stream.of(whole, inner).flatMap(form -> line(form).stream()).toList();
        } finally {
            Arrays.fill(whole, (byte) 0);
            Arrays.fill(inner, (byte) 0);
        }
    }

    private Optional<Secret> line(byte[] form) {
        byte[] text = Base64.getEncoder().encode(form);
        int from = text.length / 2 / LINE_CHARS * LINE_CHARS;
        byte[] line = Arrays.copyOfRange(text, from, from + LINE_CHARS);
        Arrays.fill(text, (byte) 0);
        try {
            return line[line.length - 1] == 0 ? Optional.empty() : Optional.of(Secret.of(line));
        } finally {
            Arrays.fill(line, (byte) 0);
        }
    }

    @Override
    public String toString() {
        return "AppKey[redacted]";
    }
}
