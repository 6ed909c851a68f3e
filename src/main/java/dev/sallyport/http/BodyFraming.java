package dev.sallyport.http;

/// How the end of a request's body is known. Both ways at once is ambiguous and never gets this
/// far.
public sealed interface BodyFraming {
    /// Of a body that is there as a whole; an empty one is none.
    static BodyFraming of(long bytes) {
        return bytes > 0 ? new Sized(bytes) : new None();
    }

    record None() implements BodyFraming {}

    record Sized(long bytes) implements BodyFraming {}

    record Chunked() implements BodyFraming {}
}
