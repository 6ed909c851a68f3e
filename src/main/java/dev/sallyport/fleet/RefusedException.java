package dev.sallyport.fleet;

/// Another machine asked for something that it does not get. Nothing was changed, but for what
/// counts failed attempts.
public final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final FleetRefusal reason;

    public RefusedException(FleetRefusal reason) {
        super("refused: " + reason.sentence());
        this.reason = reason;
    }

    public FleetRefusal reason() {
        return reason;
    }
}
