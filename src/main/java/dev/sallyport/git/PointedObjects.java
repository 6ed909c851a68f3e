package dev.sallyport.git;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.push.LfsPointer;
import dev.sallyport.upstream.Failure;
import java.util.List;

/// Knows which large files upstream has.
public interface PointedObjects {
    /// Upstream did not say, so nobody knows.
    final class UnknownException extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient Failure failure;

        public UnknownException(Failure failure) {
            super(failure.reason().code(), null, false, false);
            this.failure = failure;
        }

        Failure failure() {
            return failure;
        }
    }

    /// Those that upstream lacks. Blocks.
    ///
    /// @param fetch proof that the session may read the repository
    List<LfsPointer> missing(GitPermit fetch, CredentialBook credentials, List<LfsPointer> pointers)
            throws UnknownException, InterruptedException;
}
