package dev.sallyport.egress;

import dev.sallyport.policy.Refusal;

/// A body is not a document that may be sent: not JSON, with something in it that is denied, or one
/// for which there is no room now.
final class DeniedJsonException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Refusal reason;

    DeniedJsonException(Refusal reason) {
        super("not a document that may be sent", null, false, false);
        this.reason = reason;
    }

    Refusal reason() {
        return reason;
    }
}
