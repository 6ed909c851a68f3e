package dev.sallyport.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// How far a repository is granted. `WRITE` includes `READ`.
public enum Access {
    READ,
    WRITE;

    /// What a person means by this word.
    public static Optional<Access> of(String label) {
        return Arrays.stream(values()).filter(access -> access.label().equals(label)).findFirst();
    }

    /// As a person writes it.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
