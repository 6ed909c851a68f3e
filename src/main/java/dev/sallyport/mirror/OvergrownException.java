package dev.sallyport.mirror;

import java.io.IOException;

/// The copy would become larger than a repository may be, on disk or in memory. One that has
/// gathered what upstream has dropped may fit when it is made anew.
final class OvergrownException extends IOException {
    private static final long serialVersionUID = 1L;

    OvergrownException(String limit) {
        super(limit);
    }
}
