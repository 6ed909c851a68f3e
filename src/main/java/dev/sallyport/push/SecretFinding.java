package dev.sallyport.push;

/// Something that looks like a credential. What it is, is not kept.
///
/// @param rule the id of the rule that found it
/// @param line where it begins, from 1
/// @param fingerprint SHA-256 of the credential in hex, to tell whether two are the same
public record SecretFinding(String rule, long line, String fingerprint) {}
