package dev.sallyport.session;

import java.io.IOException;

/// The session store cannot be opened, read or written. The message is for the person: what is
/// wrong and what to do.
public class StoreException extends IOException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
