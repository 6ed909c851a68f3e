package dev.sallyport.http;

/// How the end of a request's body is known. Both ways at once is ambiguous and never gets this
/// far.
public sealed interface BodyFraming {
    record None() implements BodyFraming {}

    record Sized(long bytes) implements BodyFraming {}

    record Chunked() implements BodyFraming {}
}
