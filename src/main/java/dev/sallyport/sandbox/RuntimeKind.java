package dev.sallyport.sandbox;

/// What a sandbox is made with.
public enum RuntimeKind {
    DOCKER,
    BUBBLEWRAP,

    /// On another machine, which has made it; only its rights are here.
    REMOTE;

    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
