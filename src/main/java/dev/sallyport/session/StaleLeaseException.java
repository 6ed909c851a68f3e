package dev.sallyport.session;

/// A session was written by a gateway that does not have it any more. Nothing was changed.
public final class StaleLeaseException extends StoreException {
    private static final long serialVersionUID = 1L;

    StaleLeaseException(String name) {
        super(
                "The sandbox "
                        + name
                        + " is attached to another gateway now, so nothing was changed. Use it there.");
    }
}
