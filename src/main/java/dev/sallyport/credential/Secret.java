package dev.sallyport.credential;

import java.security.MessageDigest;
import java.util.Arrays;

/// A real secret. It cannot print itself, and only this package can read its bytes.
public final class Secret {
    public static final int BYTES_MAX = 8_192;

    private final byte[] value;

    private Secret(byte[] value) {
        this.value = value;
    }

    /// Takes a copy; the caller should wipe its own. Refuses what could break out of a header
    /// (CVE-2020-5260), so that no later step has to.
    public static Secret of(byte[] value) {
        try {
            check(value);
        } catch (MalformedSecretException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        return new Secret(value.clone());
    }

    /// Reads what a file or standard input held: the line break that editors and `echo` add at the
    /// end is not part of the secret, any other is refused.
    public static Secret parse(byte[] content) throws MalformedSecretException {
        byte[] value = Arrays.copyOf(content, lengthWithoutLineBreak(content));
        try {
            check(value);
            return new Secret(value.clone());
        } finally {
            Arrays.fill(value, (byte) 0);
        }
    }

    private static int lengthWithoutLineBreak(byte[] content) {
        int end = content.length;
        if (end > 0 && content[end - 1] == '\n') {
            end--;
            return end > 0 && content[end - 1] == '\r' ? end - 1 : end;
        }
        return end;
    }

    private static void check(byte[] value) throws MalformedSecretException {
        if (value.length == 0) {
            throw new MalformedSecretException("a secret is not empty; give it on standard input");
        }
        if (value.length > BYTES_MAX) {
            throw new MalformedSecretException(
                    "a secret has at most " + BYTES_MAX + " bytes; is this the right file?");
        }
        if (hasControlByte(value)) {
            throw new MalformedSecretException(
                    "a secret is one line without control characters; give only the token itself");
        }
    }

    static boolean hasControlByte(byte[] value) {
        for (byte b : value) {
            if ((b >= 0 && b < 0x20) || b == 0x7f) {
                return true;
            }
        }
        return false;
    }

    byte[] reveal() {
        return value.clone();
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
