package dev.sallyport.mirror;

import java.io.IOException;

/// Upstream does not speak git as it should. The message names the rule and quotes nothing.
final class WireException extends IOException {
    private static final long serialVersionUID = 1L;

    WireException(String rule) {
        super(rule);
    }

    WireException(String rule, Throwable cause) {
        super(rule, cause);
    }
}
