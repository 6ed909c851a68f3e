package dev.sallyport.credential;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Permit;
import java.util.concurrent.CompletableFuture;

/// Where the credential for one host comes from. Today it is a secret that a person stored; a host
/// kind that can mint short-lived tokens gets a source that asks for one, for just the session and
/// the operation of the permit.
public interface CredentialSource {
    HostName host();

    /// A credential with which this request may be made; failed when there is none to be had, and
    /// then the request is not made. Never blocks.
    CompletableFuture<Credential> obtain(Permit permit);

    /// Overwrites what it holds; called when the session ends.
    void wipe();

    /// A secret that is always the same.
    record Stored(Credential credential) implements CredentialSource {
        @Override
        public HostName host() {
            return credential.host();
        }

        @Override
        public CompletableFuture<Credential> obtain(Permit permit) {
            return CompletableFuture.completedFuture(credential);
        }

        @Override
        public void wipe() {
            credential.secret().wipe();
        }
    }
}
