package dev.sallyport.config;

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

    /// The user name that goes with a token when the secret names none.
    public String tokenUser() {
        return tokenUser;
    }

    /// As it is written in a policy file.
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
}
