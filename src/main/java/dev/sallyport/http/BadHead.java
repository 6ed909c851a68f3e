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

    Inbound verdict() {
        return refusal.<Inbound>map(Inbound.Refused::new).orElseGet(Inbound.Ambiguous::new);
    }
}
