package dev.sallyport.channel;

/// What a gateway tells of itself every few seconds, each one number.
public enum Figure {
    SESSIONS,
    CONNECTIONS,
    CONNECTIONS_MAX,
    REQUESTS,
    REQUESTS_MAX,
    REQUESTS_WAITING,
    KEPT_CONNECTIONS,
    KEPT_CONNECTIONS_MAX,
    JUDGEMENTS,
    JUDGEMENTS_MAX,
    JUDGEMENTS_WAITING,
    MIRRORS,
    MIRROR_BYTES,
    MIRROR_BYTES_MAX,
    HEAP_BYTES,
    HEAP_BYTES_MAX,
    DIRECT_BYTES
}
