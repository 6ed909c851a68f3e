package dev.sallyport.git;

import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.upstream.Failure;
import java.util.Set;

/// What came of checking the wants of a fetch.
sealed interface Wants {
    /// All of them are.
    ///
    /// @param claims those of all ids in the request that the session can see
    record Reachable(Set<ObjectName> claims) implements Wants {}

    record Unknown(ObjectName id) implements Wants {}

    record NotChecked(Failure failure) implements Wants {
        NotChecked(Refusal reason) {
            this(Failure.of(reason));
        }
    }
}
