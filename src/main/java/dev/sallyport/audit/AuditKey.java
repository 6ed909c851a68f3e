package dev.sallyport.audit;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.PrivateFile;
import dev.sallyport.credential.Ed25519Key;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The Ed25519 key that signs where the log begins and how far it went. It lies outside the log's
/// directory: whoever may only write there cannot make a shorter log look whole.
public final class AuditKey {
    private static final String ALGORITHM = "Ed25519";

    /// Of a public key; they are the end of its X.509 form (RFC 8410).
    private static final int PUBLIC_HEX_CHARS = 2 * Ed25519Key.BYTES;

    private static final Pattern FORM =
            Pattern.compile("private ([0-9a-f]{64,256})\npublic ([0-9a-f]{64})\n");
    private static final int FILE_BYTES_MAX = 512;

    private final PrivateKey secret;
    private final String shown;

    private AuditKey(PrivateKey secret, String shown) {
        this.secret = secret;
        this.shown = shown;
    }

    /// Reads the key, or makes one where there is none.
    public static AuditKey open(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            PrivateFile.replace(file, fresh().getBytes(StandardCharsets.US_ASCII));
        }
        Ownership.requirePrivateFile(file);
        String text =
                Files.size(file) <= FILE_BYTES_MAX
                        ? Files.readString(file, StandardCharsets.ISO_8859_1)
                        : "";
        Matcher matcher = FORM.matcher(text);
        try {
            if (matcher.matches()) {
                byte[] encoded = HexFormat.of().parseHex(matcher.group(1));
                AuditKey key =
                        new AuditKey(
                                KeyFactory.getInstance(ALGORITHM)
                                        .generatePrivate(new PKCS8EncodedKeySpec(encoded)),
                                matcher.group(2));
                byte[] probe = {1};
                if (verifies(key.shown, probe, key.sign(probe))) {
                    return key;
                }
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw damaged(file, e);
        }
        throw damaged(file, null);
    }

    private static ConfigException damaged(Path file, @Nullable Exception e) {
        ConfigException problem =
                new ConfigException(
                        file + " is not a key of the audit log.",
                        "Restore it from a backup. Without one, keep the log's directory as evidence, move both aside and run: sallyport audit begin");
        if (e != null) {
            problem.initCause(e);
        }
        return problem;
    }

    private static String fresh() {
        try {
            KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
            String x509 = HexFormat.of().formatHex(pair.getPublic().getEncoded());
            return "private "
                    + HexFormat.of().formatHex(pair.getPrivate().getEncoded())
                    + "\npublic "
                    + x509.substring(x509.length() - PUBLIC_HEX_CHARS)
                    + "\n";
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /// The public half, in hex.
    String shown() {
        return shown;
    }

    /// In hex.
    String sign(byte[] text) {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(secret);
            signature.update(text);
            return HexFormat.of().formatHex(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    static boolean verifies(String shown, byte[] text, String signatureHex) {
        HexFormat hex = HexFormat.of();
        return Ed25519Key.verifies(hex.parseHex(shown), text, hex.parseHex(signatureHex));
    }
}
