package dev.sallyport.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// What happens when a push adds something that looks like a credential.
public enum SecretScan {
    DENY,
    WARN,
    OFF;

    /// What a person means by this word.
    public static Optional<SecretScan> of(String label) {
        return Arrays.stream(values()).filter(scan -> scan.label().equals(label)).findFirst();
    }

    /// As a person writes it.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
