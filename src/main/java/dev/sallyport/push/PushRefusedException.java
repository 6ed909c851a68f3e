package dev.sallyport.push;

import dev.sallyport.policy.Refusal;

/// Ends a judgement: the push as a whole is refused. Unchecked, because it must pass through JGit's
/// walks and parsers, which call back into this package.
final class PushRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Refusal reason;

    PushRefusedException(Refusal reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    static PushRefusedException malformed(String detail) {
        return new PushRefusedException(Refusal.MALFORMED_PACK, detail);
    }

    static PushRefusedException truncated() {
        return malformed("the pack ends too early");
    }

    static PushRefusedException limit(String detail) {
        return new PushRefusedException(Refusal.PACK_LIMIT, detail);
    }

    static PushRefusedException missing(String detail) {
        return new PushRefusedException(Refusal.MISSING_OBJECTS, detail);
    }

    Refusal reason() {
        return reason;
    }

    String detail() {
        String message = getMessage();
        return message == null ? "" : message;
    }
}
