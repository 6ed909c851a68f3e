package dev.sallyport.audit;

import dev.sallyport.config.AuditLimits;

/// What a log is kept under.
///
/// @param limits how much of it
/// @param key signs it
/// @param marks knows how far it went, too
/// @param witness is told of it
public record AuditTerms(AuditLimits limits, AuditKey key, AuditMarks marks, Witness witness) {}
