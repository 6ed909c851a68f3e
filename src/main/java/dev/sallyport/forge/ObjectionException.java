package dev.sallyport.forge;

import dev.sallyport.policy.Refusal;

/// Ends a judgement.
final class ObjectionException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Objection objection;

    ObjectionException(Objection objection) {
        super(objection.message(), null, false, false);
        this.objection = objection;
    }

    ObjectionException(Refusal reason, String message) {
        this(new Objection(reason, message));
    }

    /// What the client wrote is not taken.
    static ObjectionException bad(String message) {
        return new ObjectionException(Refusal.BAD_REQUEST, message);
    }

    Objection objection() {
        return objection;
    }
}
