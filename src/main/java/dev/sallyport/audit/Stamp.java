package dev.sallyport.audit;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// What the warden knows of a session and puts on each of its lines, so that a line tells whose it
/// is by itself. It is the warden's word: a gateway cannot forge it.
///
/// @param sandbox its name
/// @param runtime which one runs it, and who it is there: `docker:0123456789ab`
/// @param policy the first digits of the digest of its rights
public record Stamp(String sandbox, String runtime, String policy) {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._:-]{0,64}");
    private static final int POLICY_DIGITS = 16;

    /// Of the whole system, and of lines that are older than stamps.
    public static final Stamp NONE = new Stamp("", "", "");

    public Stamp {
        policy = policy.substring(0, Math.min(policy.length(), POLICY_DIGITS));
        if (!PLAIN.matcher(sandbox).matches()
                || !PLAIN.matcher(runtime).matches()
                || !PLAIN.matcher(policy).matches()) {
            throw new IllegalArgumentException("a stamp has short plain words");
        }
    }

    /// As it stands in a line; nothing in it needs an escape.
    byte[] bytes() {
        return ",\"sandbox\":\"%s\",\"runtime\":\"%s\",\"policy\":\"%s\""
                .formatted(sandbox, runtime, policy)
                .getBytes(StandardCharsets.US_ASCII);
    }
}
