package dev.sallyport.push;

import java.io.IOException;

/// The copy of upstream lacks what its refs reach, or cannot be read. Nobody's push is to blame.
public final class MirrorTroubleException extends IOException {
    private static final long serialVersionUID = 1L;

    public MirrorTroubleException(String message) {
        super(message);
    }

    public MirrorTroubleException(String message, Throwable cause) {
        super(message, cause);
    }
}
