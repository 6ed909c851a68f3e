package dev.sallyport.forge;

import dev.sallyport.policy.Refusal;

/// Why something is not done, in words that the client shows to its user: what is wrong and what is
/// allowed instead, without a full stop.
public record Objection(Refusal reason, String message) {}
