package dev.sallyport.session;

import dev.sallyport.config.GitSettings;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import java.util.List;

/// What the gateway knows of a session. Which one a connection belongs to is decided by the socket
/// that accepted it.
///
/// @param git how git is set up inside
/// @param notices what those inside should know about its end
public record LiveSession(
        SessionId id,
        String sandbox,
        Policy policy,
        CredentialBook credentials,
        GitSettings git,
        List<String> notices) {
    public LiveSession {
        notices = List.copyOf(notices);
    }

    /// One with nothing to say about its end.
    public LiveSession(SessionId id, String sandbox, Policy policy, CredentialBook credentials) {
        this(id, sandbox, policy, credentials, GitSettings.STANDARD, List.of());
    }
}
