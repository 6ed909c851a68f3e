package dev.sallyport.mirror;

import java.io.IOException;

/// A copy is not as it was left, so nothing in it is believed.
final class CorruptCopyException extends IOException {
    private static final long serialVersionUID = 1L;

    CorruptCopyException(String message) {
        super(message);
    }

    CorruptCopyException(String message, Throwable cause) {
        super(message, cause);
    }
}
