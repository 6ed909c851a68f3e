package dev.sallyport.http;

/// What the heads of a listener's requests look like.
public enum HeadForm {
    /// Origin-form targets; only the fields that git needs exist.
    FRONT,
    /// Origin-form targets of a host besides git; every field that has one meaning is kept.
    WEB,
    /// Absolute-form targets, and `CONNECT` with an authority; fields as for [#WEB].
    PROXY
}
