package dev.sallyport.mirror;

import java.io.IOException;

/// The copy would become larger than it may be.
final class LimitException extends IOException {
    private static final long serialVersionUID = 1L;

    LimitException(String limit) {
        super(limit);
    }

    LimitException(String limit, Throwable cause) {
        super(limit, cause);
    }
}
