package dev.sallyport.credential;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Refusal;
import java.util.List;
import java.util.Optional;

/// Where the credential for one host comes from: a secret that a person stored, or tokens that were
/// minted for just the session.
public interface CredentialSource {
    HostName host();

    /// What is there for this request.
    Found find(Permit permit);

    /// What [#find] found for this request, as long as the session has it.
    Optional<Credential> held(Permit permit);

    /// All that it holds.
    List<Secret> secrets();

    /// Overwrites what it holds; called when the session ends.
    void wipe();

    /// Whether there is a credential with which a request may be made.
    sealed interface Found {
        record There() implements Found {}

        /// The session's next book has it, or says why there is none.
        record Awaited() implements Found {}

        record Missing(Refusal reason) implements Found {}
    }

    /// A secret that is always the same.
    record Stored(Credential credential) implements CredentialSource {
        @Override
        public HostName host() {
            return credential.host();
        }

        @Override
        public Found find(Permit permit) {
            return new Found.There();
        }

        @Override
        public Optional<Credential> held(Permit permit) {
            return Optional.of(credential);
        }

        @Override
        public List<Secret> secrets() {
            return List.of(credential.secret());
        }

        @Override
        public void wipe() {
            credential.secret().wipe();
        }
    }
}
