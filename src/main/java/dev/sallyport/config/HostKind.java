package dev.sallyport.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// How a git host wants its credential. All of them take HTTP basic authentication; they differ in
/// the user name.
public enum HostKind {
    GITHUB("x-access-token"),
    GITHUB_ENTERPRISE("x-access-token"),
    GITLAB("oauth2"),
    GITEA("oauth2"),
    PLAIN("git");

    private final String tokenUser;

    HostKind(String tokenUser) {
        this.tokenUser = tokenUser;
    }

    /// Whether there is a door for its API.
    public boolean hasApi() {
        return this == GITHUB || this == GITHUB_ENTERPRISE;
    }

    /// The user name that goes with a token when the secret names none.
    public String tokenUser() {
        return tokenUser;
    }

    /// The kind that a policy file means by this word.
    public static Optional<HostKind> of(String label) {
        return Arrays.stream(values()).filter(kind -> kind.label().equals(label)).findFirst();
    }

    /// As it is written in a policy file.
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
