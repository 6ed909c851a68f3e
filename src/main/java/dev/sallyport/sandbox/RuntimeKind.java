package dev.sallyport.sandbox;

/// What a sandbox is made with.
public enum RuntimeKind {
    DOCKER,
    BUBBLEWRAP;

    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
