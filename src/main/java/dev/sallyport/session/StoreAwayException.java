package dev.sallyport.session;

/// The database of the session store does not answer. It may do so again later.
public final class StoreAwayException extends StoreException {
    private static final long serialVersionUID = 1L;

    public static final String REMEDY =
            "Check that the database runs and can be reached; Sallyport connects again by itself.";

    StoreAwayException(String store, Throwable cause) {
        super(
                "The session store "
                        + store
                        + " does not answer: "
                        + String.valueOf(cause.getMessage()).lines().findFirst().orElse(""),
                cause);
    }
}
