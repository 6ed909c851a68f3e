package dev.sallyport.demo;

/// A sentence about Sallyport that was tried on this machine.
///
/// @param evidence what was seen, also when it does not hold
public record Claim(String text, boolean holds, String evidence) {}
