package dev.sallyport.session;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;

/// What the gateway knows of a session. Which one a connection belongs to is decided by the socket
/// that accepted it.
public record LiveSession(
        SessionId id, String sandbox, Policy policy, CredentialBook credentials) {}
