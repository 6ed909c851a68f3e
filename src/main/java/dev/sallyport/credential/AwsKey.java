package dev.sallyport.credential;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An access key of AWS. It is kept as one line, `aws4:ID:KEY` or, for a temporary one,
/// `aws4:ID:KEY:TOKEN`. Requests are signed with it: a secret of this form is sent nowhere.
public final class AwsKey {
    private static final String MARK = "aws4:";

    /// None of them has a colon, or anything that means something in a header.
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_]{16,128}");

    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9/+=]{16,128}");
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9/+=]{16,4096}");
    private static final Pattern FORM =
            Pattern.compile(MARK + "(" + ID + "):(" + KEY + ")(?::(" + TOKEN + "))?");

    private final String id;
    private final String key;
    private final Optional<String> token;

    private AwsKey(String id, String key, Optional<String> token) {
        this.id = id;
        this.key = key;
        this.token = token;
    }

    /// The line in which it is kept.
    ///
    /// @param token the session token of a temporary one
    /// @throws IllegalArgumentException which names the part that is not as AWS writes it, and
    ///   nothing of it
    public static Secret line(String id, String key, Optional<String> token) {
        require(ID.matcher(id).matches(), "access key id");
        require(KEY.matcher(key).matches(), "secret access key");
        require(token.stream().allMatch(t -> TOKEN.matcher(t).matches()), "session token");
        String line = MARK + id + ":" + key + token.map(t -> ":" + t).orElse("");
        byte[] bytes = line.getBytes(StandardCharsets.US_ASCII);
        try {
            return Secret.of(bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    private static void require(boolean holds, String part) {
        if (!holds) {
            throw new IllegalArgumentException("the " + part + " is not one of AWS");
        }
    }

    /// Whether a secret is one, good or damaged.
    public static boolean isOne(Secret secret) {
        byte[] value = secret.reveal();
        byte[] mark = MARK.getBytes(StandardCharsets.US_ASCII);
        try {
            return value.length >= mark.length
                    && Arrays.equals(value, 0, mark.length, mark, 0, mark.length);
        } finally {
            Arrays.fill(value, (byte) 0);
        }
    }

    /// Empty when it is none, or was wiped.
    public static Optional<AwsKey> of(Secret secret) {
        if (!isOne(secret)) {
            return Optional.empty();
        }
        byte[] value = secret.reveal();
        Matcher parts = FORM.matcher(new String(value, StandardCharsets.ISO_8859_1));
        Arrays.fill(value, (byte) 0);
        return parts.matches()
                ? Optional.of(
                        new AwsKey(
                                parts.group(1),
                                parts.group(2),
                                Optional.ofNullable(parts.group(3))))
                : Optional.empty();
    }

    /// What gives it away wherever it is found. The id is no secret, but stands beside every
    /// signature.
    public List<Secret> traces() {
        return token.map(t -> List.of(secret(id), secret(key), secret(t)))
                .orElse(List.of(secret(id), secret(key)));
    }

    static Secret secret(String text) {
        return Secret.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    String id() {
        return id;
    }

    /// What signing begins with.
    byte[] seed() {
        return ("AWS4" + key).getBytes(StandardCharsets.US_ASCII);
    }

    Optional<String> token() {
        return token;
    }

    @Override
    public String toString() {
        return "AwsKey[redacted]";
    }
}
