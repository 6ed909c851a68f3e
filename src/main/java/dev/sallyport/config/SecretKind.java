package dev.sallyport.config;

import dev.sallyport.credential.AwsKey;
import dev.sallyport.policy.Word;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/// What a secret is. To a git host the first two are sent as basic authentication, and differ in
/// who says which user name goes with them.
public enum SecretKind implements Word {
    /// A token alone. The kind of the host implies the user name.
    TOKEN,
    /// The password or token of a user who was named when it was set.
    BASIC,
    /// An access token and what it is renewed with. Only rules inject it; git hosts do not get it.
    OAUTH,
    /// The private key of a GitHub App. Nobody gets it: the warden signs with it and has tokens
    /// minted for each session.
    GITHUB_APP,
    /// An access key of AWS. Nobody gets it: the gateway signs requests with it.
    AWS;

    static SecretKind of(Optional<String> user, StoredSecret stored) {
        if (stored.app().isPresent()) {
            return GITHUB_APP;
        }
        if (stored.login().isPresent()) {
            return OAUTH;
        }
        if (AwsKey.isOne(stored.value())) {
            return AWS;
        }
        return user.isPresent() ? BASIC : TOKEN;
    }

    /// All of them, for a sentence.
    public static String all() {
        return Arrays.stream(values()).map(SecretKind::label).collect(Collectors.joining(", "));
    }

    /// Whether a git host may get it.
    public boolean isForGit() {
        return this == TOKEN || this == BASIC;
    }

    /// A user name is there exactly when the kind wants one.
    public boolean fits(Optional<String> user) {
        return user.isPresent() == (this == BASIC);
    }
}
