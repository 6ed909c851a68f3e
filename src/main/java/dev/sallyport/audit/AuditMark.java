package dev.sallyport.audit;

/// What the session store knows of the log: a line that was on disk, and who signs. It lies in
/// another file than the log, so that a log that is emptied, cut or signed by somebody else is
/// missed.
///
/// @param seq number of the line; 0 when a person has begun a new log
/// @param hash of that line; of the last line of the log before, when a new one was begun
/// @param key public key of the log, in hex
public record AuditMark(long seq, String hash, String key) {}
