package dev.sallyport.push;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// Git's hash.
final class Digests {
    private Digests() {}

    static MessageDigest sha1() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }
}
