package dev.sallyport.policy;

import java.security.SecureRandom;
import java.util.HexFormat;

/// Names one session. It is not a credential: whoever knows it can do nothing with it.
public record SessionId(String value) {
    private static final int DIGITS = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    public SessionId {
        if (!isForm(value)) {
            throw new IllegalArgumentException("a session id is sixteen lower-case hex digits");
        }
    }

    /// By hand, as the two below: there are several for each request.
    private static boolean isForm(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
                return false;
            }
        }
        return value.length() == DIGITS;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SessionId(String others) && value.equals(others);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    public static SessionId random() {
        byte[] bytes = new byte[8];
        RANDOM.nextBytes(bytes);
        return new SessionId(HexFormat.of().formatHex(bytes));
    }

    @Override
    public String toString() {
        return value;
    }
}
