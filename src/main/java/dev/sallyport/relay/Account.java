package dev.sallyport.relay;

import dev.sallyport.upstream.Failure;

/// What one relay uses and what goes wrong with it, as its door counts and records it. Whatever is
/// not granted is not passed on.
public interface Account {
    /// Counts bytes before they go to the host.
    boolean up(long bytes);

    /// Counts bytes before they go to the sandbox.
    boolean down(long bytes);

    /// What went wrong after the request was allowed. Nothing waits for the record: the refusal
    /// happens either way.
    void failed(Failure failure);

    /// Once, when nothing more will be counted.
    ///
    /// @param whole whether the answer came to its end
    void over(boolean whole);
}
