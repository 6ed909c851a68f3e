package dev.sallyport.mirror;

/// Tells how far a copy is to somebody who passes it on to the person who waits. Called from a
/// worker's thread, at most once a second, and not before a copy has taken two.
public interface Progress {
    /// Nobody waits, or nobody can be told.
    Progress NONE = (_, _) -> {};

    /// Upstream has shown its refs to the session.
    ///
    /// @param whole whether it has all of the history itself
    default void shown(boolean whole) {}

    /// How far it is now.
    ///
    /// @param receivedBytes what has come from upstream
    /// @param indexedPercent how much of it is in the copy; 0 while more comes
    void reached(long receivedBytes, int indexedPercent);
}
