package dev.sallyport.relay;

/// What one relay uses, as its door counts it. Whatever is not granted is not passed on.
public interface Account {
    /// Counts bytes before they go to the host.
    boolean up(long bytes);

    /// Counts bytes before they go to the sandbox.
    boolean down(long bytes);

    /// Tells others what was counted so far; called about once a second.
    default void report() {}

    /// Once, when nothing more will be counted.
    ///
    /// @param whole whether the answer came to its end
    void over(boolean whole);
}
