package dev.sallyport.forge;

/// What the door does with an answer of the API before the sandbox gets it.
public enum AnswerTreatment {
    /// Whole, bounded, and scrubbed ([AnswerScrubber]).
    JSON,
    /// A diff, a patch or the bytes of a file, streamed. When its type is `application/json` after
    /// all, as for a directory, it is treated as [#JSON].
    RAW,
    /// A redirect to a listed host, which the door follows without the credential.
    DOWNLOAD,
    /// Nothing but the status.
    NO_BODY
}
