package dev.sallyport.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// How far a kind of API operation, or Git LFS, is granted. `WRITE` includes `READ`.
public enum ApiLevel {
    OFF,
    READ,
    WRITE;

    /// What a person means by this word.
    public static Optional<ApiLevel> of(String label) {
        return Arrays.stream(values()).filter(level -> level.label().equals(label)).findFirst();
    }

    /// As a person writes it.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
