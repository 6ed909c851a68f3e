package dev.sallyport.config;

import dev.sallyport.policy.Forge;
import dev.sallyport.policy.Word;
import java.util.Optional;

/// How a git host wants its credential. All of them take HTTP basic authentication; they differ in
/// the user name.
public enum HostKind implements Word {
    GITHUB("x-access-token"),
    GITHUB_ENTERPRISE("x-access-token"),
    GITLAB("oauth2"),
    GITEA("oauth2"),
    PLAIN("git");

    private final String tokenUser;

    HostKind(String tokenUser) {
        this.tokenUser = tokenUser;
    }

    /// Whose API it has, if there is a door for it.
    public Optional<Forge> forge() {
        return switch (this) {
            case GITHUB, GITHUB_ENTERPRISE -> Optional.of(Forge.GITHUB);
            case GITLAB -> Optional.of(Forge.GITLAB);
            case GITEA -> Optional.of(Forge.GITEA);
            case PLAIN -> Optional.empty();
        };
    }

    /// Whether a repository can be in a group in a group, or in any directory.
    public boolean hasGroups() {
        return this == GITLAB || this == PLAIN;
    }

    /// The user name that goes with a token when the secret names none.
    public String tokenUser() {
        return tokenUser;
    }
}
