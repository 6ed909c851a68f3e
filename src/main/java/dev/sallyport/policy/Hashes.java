package dev.sallyport.policy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The hashes that every Java has.
public final class Hashes {
    private Hashes() {}

    public static MessageDigest sha256() {
        return of("SHA-256");
    }

    /// For what is named by it, as in git.
    public static MessageDigest sha1() {
        return of("SHA-1");
    }

    /// In hex.
    public static String sha256(String text) {
        return HexFormat.of().formatHex(sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static MessageDigest of(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("every Java has " + name, e);
        }
    }
}
