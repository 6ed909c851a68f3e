package dev.sallyport.policy;

/// The answer of the policy. There is no third case and no boolean.
public sealed interface Decision<P extends Permit> {
    record Allow<P extends Permit>(P permit) implements Decision<P> {}

    record Deny<P extends Permit>(Refusal refusal) implements Decision<P> {}
}
