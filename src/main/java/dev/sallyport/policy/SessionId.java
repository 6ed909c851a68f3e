package dev.sallyport.policy;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/// Names one session. It is not a credential: whoever knows it can do nothing with it.
public record SessionId(String value) {
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{16}");
    private static final SecureRandom RANDOM = new SecureRandom();

    public SessionId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("a session id is sixteen lower-case hex digits");
        }
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
