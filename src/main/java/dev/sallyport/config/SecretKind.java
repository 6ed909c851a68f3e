package dev.sallyport.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// What a secret is to a git host. Both are sent as basic authentication; they differ in who says
/// which user name goes with them.
public enum SecretKind {
    /// A token alone. The kind of the host implies the user name.
    TOKEN,
    /// The password or token of a user who was named when it was set.
    BASIC;

    static SecretKind of(Optional<String> user) {
        return user.isPresent() ? BASIC : TOKEN;
    }

    public static Optional<SecretKind> parse(String label) {
        return Arrays.stream(values()).filter(kind -> kind.label().equals(label)).findFirst();
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// A user name is there exactly when the kind wants one.
    public boolean fits(Optional<String> user) {
        return this == of(user);
    }
}
