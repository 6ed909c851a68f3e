package dev.sallyport.audit;

import java.io.IOException;

/// Somebody else who keeps signed heads of the log, out of reach of whoever could rewrite it
/// together with its key.
public interface Witness {
    /// There is none.
    Witness NONE = _ -> {};

    /// Returns when it is kept; may block for half a minute at most.
    ///
    /// @param head one line with its end
    void tell(String head) throws IOException;
}
