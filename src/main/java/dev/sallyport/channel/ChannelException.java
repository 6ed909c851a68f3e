package dev.sallyport.channel;

import java.io.IOException;

/// The other end is not who it must be, or said what it may not say. The connection is over.
public final class ChannelException extends IOException {
    private static final long serialVersionUID = 1L;

    public ChannelException(String message) {
        super(message);
    }
}
