package dev.sallyport.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// Whether fetches of a repository are answered from the local copy.
public enum MirrorUse {
    /// When it was pushed to or cloned twice through this gateway.
    AUTO,
    ON,
    OFF;

    /// What a person means by this word.
    public static Optional<MirrorUse> of(String label) {
        return Arrays.stream(values()).filter(use -> use.label().equals(label)).findFirst();
    }

    /// As a person writes it.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
