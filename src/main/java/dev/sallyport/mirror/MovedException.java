package dev.sallyport.mirror;

import java.io.IOException;

/// Upstream no longer has what it advertised a moment ago; asking again may help.
final class MovedException extends IOException {
    private static final long serialVersionUID = 1L;

    MovedException() {
        super("upstream does not send what it advertised");
    }
}
