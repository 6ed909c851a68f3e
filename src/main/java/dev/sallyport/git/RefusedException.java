package dev.sallyport.git;

import dev.sallyport.policy.Refusal;

/// Bytes of a sandbox or of an upstream are not what they must be, so the request ends here.
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Refusal refusal;

    RefusedException(Refusal refusal, String rule) {
        super(rule);
        this.refusal = refusal;
    }

    Refusal refusal() {
        return refusal;
    }
}
