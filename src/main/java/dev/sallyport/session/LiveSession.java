package dev.sallyport.session;

import dev.sallyport.approval.Asker;
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
/// @param before what it had used when these rights were given
/// @param asker who asks the person who runs it
public record LiveSession(
        SessionId id,
        String sandbox,
        Policy policy,
        CredentialBook credentials,
        GitSettings git,
        List<String> notices,
        Usage before,
        Asker asker) {
    public LiveSession {
        notices = List.copyOf(notices);
    }

    /// The same with somebody to ask.
    public LiveSession asking(Asker other) {
        return new LiveSession(id, sandbox, policy, credentials, git, notices, before, other);
    }
}
