package dev.sallyport.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// Whose API a git host speaks.
public enum Forge {
    GITHUB,
    GITLAB,
    /// Gitea and Forgejo, whose API is the same as far as sandboxes can use it.
    GITEA;

    /// What a stored grant means by this word.
    public static Optional<Forge> of(String label) {
        return Arrays.stream(values()).filter(forge -> forge.label().equals(label)).findFirst();
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
