package dev.sallyport.credential;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.Predicate;

/// A real secret. It cannot print itself, and only this package can read its bytes.
public final class Secret {
    public static final int BYTES_MAX = 8_192;

    /// Shorter ones would be found everywhere in an answer, by chance.
    private static final int FINDABLE_BYTES_MIN = 8;

    private static final int SIGNING_BYTES_MIN = 16;

    private final byte[] value;

    private Secret(byte[] value) {
        this.value = value;
    }

    /// Takes a copy; the caller should wipe its own. Refuses what could break out of a header
    /// (CVE-2020-5260), so that no later step has to. The message names the rule, never the bytes.
    public static Secret of(byte[] value) {
        if (value.length == 0) {
            throw new IllegalArgumentException("a secret is not empty");
        }
        if (value.length > BYTES_MAX) {
            throw new IllegalArgumentException("a secret has at most " + BYTES_MAX + " bytes");
        }
        if (hasControlByte(value)) {
            throw new IllegalArgumentException("a secret is one line without control characters");
        }
        return new Secret(value.clone());
    }

    static boolean hasControlByte(byte[] value) {
        for (byte b : value) {
            if ((b >= 0 && b < 0x20) || b == 0x7f) {
                return true;
            }
        }
        return false;
    }

    /// The same once more, for somebody who wipes it.
    ///
    /// @throws IllegalStateException when it has been wiped
    public Secret copy() {
        return new Secret(whole());
    }

    byte[] reveal() {
        return value.clone();
    }

    /// As [#reveal], and never half wiped.
    ///
    /// @throws IllegalStateException when it has been wiped
    private byte[] whole() {
        byte[] copy = reveal();
        // No secret has a control byte, so a zero was written by wipe().
        if (hasControlByte(copy)) {
            throw new IllegalStateException("the secret has been wiped");
        }
        return copy;
    }

    /// Whether an answer can be searched for it without finding it by chance.
    public boolean canBeFound() {
        return value.length >= FINDABLE_BYTES_MIN;
    }

    /// Tells texts that have it in them, in any common spelling, from those that have not. Only for
    /// one that [#canBeFound].
    public Predicate<String> finder() {
        return new EchoGuard(Needles.of(this))::isIn;
    }

    /// Whether it is long enough for nobody to find it by trying, given what it has signed.
    public boolean canSign() {
        return value.length >= SIGNING_BYTES_MIN;
    }

    /// HMAC with SHA-256 (RFC 2104) of a text, in hexadecimal.
    ///
    /// @throws IllegalStateException when it has been wiped
    public String hmac(byte[] text) {
        byte[] key = whole();
        try {
            return HexFormat.of().formatHex(SignatureV4.hmac(key, text));
        } finally {
            Arrays.fill(key, (byte) 0);
        }
    }

    boolean isWiped() {
        return hasControlByte(reveal());
    }

    /// As the value of a field; one character for each byte.
    String text() {
        byte[] bytes = whole();
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        Arrays.fill(bytes, (byte) 0);
        return text;
    }

    /// Together with a user name as the token of basic authentication (RFC 7617).
    String basic(String user) {
        byte[] name = (user + ":").getBytes(StandardCharsets.UTF_8);
        byte[] bytes = whole();
        byte[] pair = Arrays.copyOf(name, name.length + bytes.length);
        System.arraycopy(bytes, 0, pair, name.length, bytes.length);
        String encoded = Base64.getEncoder().encodeToString(pair);
        Arrays.fill(bytes, (byte) 0);
        Arrays.fill(pair, (byte) 0);
        return encoded;
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
