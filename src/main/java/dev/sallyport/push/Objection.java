package dev.sallyport.push;

import dev.sallyport.policy.RefName;
import dev.sallyport.policy.Refusal;

/// What is wrong with one ref of a push.
///
/// @param detail which commit, path or rule, in printable text of one line; told to the sandbox,
///   which knows the content, and to the audit. Never holds a found secret.
public record Objection(RefName ref, Refusal reason, String detail) {}
