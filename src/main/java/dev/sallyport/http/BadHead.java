package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import java.util.Optional;

/// A head that is not served: with a refusal when it can mean only one thing, without one when it
/// is ambiguous and gets no answer.
final class BadHead extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Optional<Refusal> refusal;

    private BadHead(Optional<Refusal> refusal) {
        super("bad head", null, false, false);
        this.refusal = refusal;
    }

    static BadHead ambiguous() {
        return new BadHead(Optional.empty());
    }

    static BadHead refused(Refusal refusal) {
        return new BadHead(Optional.of(refusal));
    }

    /// @param headRequest whether the answer has no body
    Inbound verdict(boolean headRequest) {
        return refusal.<Inbound>map(reason -> new Inbound.Refused(reason, headRequest))
                .orElseGet(Inbound.Ambiguous::new);
    }
}
