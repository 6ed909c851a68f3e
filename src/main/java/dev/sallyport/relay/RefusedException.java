package dev.sallyport.relay;

import dev.sallyport.policy.Refusal;

/// Bytes of a sandbox or of an upstream are not what they must be, so the request ends here.
/// Without a trace, since anybody may cause very many.
public final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Refusal refusal;

    public RefusedException(Refusal refusal, String rule) {
        super(rule, null, false, false);
        this.refusal = refusal;
    }

    public Refusal refusal() {
        return refusal;
    }
}
