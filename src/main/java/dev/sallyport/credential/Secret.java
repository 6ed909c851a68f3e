package dev.sallyport.credential;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/// A real secret. It cannot print itself, and only this package can read its bytes.
public final class Secret {
    private final byte[] value;

    private Secret(byte[] value) {
        this.value = value;
    }

    /// Takes a copy; the caller should wipe its own.
    public static Secret of(byte[] value) {
        if (value.length == 0) {
            throw new IllegalArgumentException("a secret is not empty");
        }
        return new Secret(value.clone());
    }

    byte[] reveal() {
        return value.clone();
    }

    String revealText() {
        return new String(value, StandardCharsets.UTF_8);
    }

    /// Overwrites the value where Java lets us. The secret is unusable afterwards.
    public void wipe() {
        Arrays.fill(value, (byte) 0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret that && MessageDigest.isEqual(value, that.value);
    }

    /// Constant, so that a hash code says nothing about the value.
    @Override
    public int hashCode() {
        return 1;
    }

    @Override
    public String toString() {
        return "Secret[redacted]";
    }
}
