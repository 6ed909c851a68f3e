package dev.sallyport.approval;

import dev.sallyport.policy.Refusal;
import java.util.Optional;

/// What became of a question. Everything but [#YES] means no.
public enum Outcome {
    YES,
    /// A person said no.
    NO,
    /// Nobody said anything in time.
    EXPIRED,
    /// Too many questions were open already.
    TOO_MANY,
    /// Whoever asked is gone: the client, its session or the gateway.
    WITHDRAWN,
    /// It could not be recorded that it was asked.
    NOT_RECORDED,
    /// The same, because the disk is full.
    DISK_FULL;

    /// What whoever asked is refused with; empty when a person said yes.
    public Optional<Refusal> refusal() {
        return switch (this) {
            case YES -> Optional.empty();
            case NO -> Optional.of(Refusal.APPROVAL_DENIED);
            case EXPIRED -> Optional.of(Refusal.APPROVAL_EXPIRED);
            case TOO_MANY, WITHDRAWN -> Optional.of(Refusal.APPROVAL_UNAVAILABLE);
            case NOT_RECORDED -> Optional.of(Refusal.NOT_RECORDED);
            case DISK_FULL -> Optional.of(Refusal.DISK_FULL);
        };
    }
}
