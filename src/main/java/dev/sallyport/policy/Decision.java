package dev.sallyport.policy;

/// The answer of the policy. There is no third case and no boolean.
public sealed interface Decision {
    record Allow(Permit permit) implements Decision {}

    record Deny(Refusal refusal) implements Decision {}
}
