package dev.sallyport.mirror;

import java.io.IOException;

/// A limit of ours is reached: disk, memory, time, or how often a copy may be made anew.
final class LimitException extends IOException {
    private static final long serialVersionUID = 1L;

    LimitException(String limit) {
        super(limit);
    }

    LimitException(String limit, Throwable cause) {
        super(limit, cause);
    }
}
