package dev.sallyport.policy;

/// Whether fetches of a repository are answered from the local copy.
public enum MirrorUse implements Word {
    /// When it was pushed to or cloned twice through this gateway.
    AUTO,
    ON,
    OFF
}
