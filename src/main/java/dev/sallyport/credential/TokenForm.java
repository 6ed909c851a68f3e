package dev.sallyport.credential;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// What kind of GitHub token a secret is, as far as its first characters say so. Nothing else of it
/// is told.
public enum TokenForm {
    CLASSIC(
            "ghp_",
            "a classic personal access token, which reaches every repository of its owner, whatever"
                    + " the rules say"),
    FINE_GRAINED(
            "github_pat_",
            "a fine-grained personal access token, which reaches whatever was chosen when it was"
                    + " made, in every sandbox"),
    OAUTH(
            "gho_",
            "a token of an OAuth app such as gh, which reaches every repository of its owner"),
    USER("ghu_", "a token of a GitHub App for a user, which reaches all that both may do"),
    INSTALLATION("ghs_", "a token of a GitHub App that ends within the hour and is not renewed");

    private final String prefix;
    private final String reach;

    TokenForm(String prefix, String reach) {
        this.prefix = prefix;
        this.reach = reach;
    }

    /// Empty when it is none that is known.
    public static Optional<TokenForm> of(Secret secret) {
        byte[] value = secret.reveal();
        try {
            return Arrays.stream(values()).filter(form -> form.begins(value)).findFirst();
        } finally {
            Arrays.fill(value, (byte) 0);
        }
    }

    private boolean begins(byte[] value) {
        byte[] start = prefix.getBytes(StandardCharsets.US_ASCII);
        return value.length > start.length
                && Arrays.equals(value, 0, start.length, start, 0, start.length);
    }

    /// What it is, and how far it reaches.
    public String reach() {
        return reach;
    }
}
