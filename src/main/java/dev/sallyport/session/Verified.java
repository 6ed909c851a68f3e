package dev.sallyport.session;

import dev.sallyport.sandbox.Identity;
import java.time.Instant;

/// Who a sandbox was when it was last verified. Kept while it is stopped, because what comes back
/// must be the same one.
///
/// @param by who said so
/// @param at in the session's own time
/// @param paused whether its processes were frozen then
public record Verified(Identity identity, String by, Instant at, boolean paused) {
    /// One that was not paused.
    public Verified(Identity identity, String by, Instant at) {
        this(identity, by, at, false);
    }
}
