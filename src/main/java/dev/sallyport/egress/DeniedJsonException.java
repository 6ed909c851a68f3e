package dev.sallyport.egress;

/// A body is not a document that may be sent: not JSON, or with something in it that is denied.
final class DeniedJsonException extends Exception {
    private static final long serialVersionUID = 1L;

    DeniedJsonException() {
        super("not a document that may be sent", null, false, false);
    }
}
