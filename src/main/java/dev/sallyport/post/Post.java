package dev.sallyport.post;

import java.io.IOException;
import java.util.Map;

/// Somebody who takes what is posted.
public interface Post {
    /// Blocks until it is taken, for 30 seconds at most.
    ///
    /// @param type of the content
    /// @param fields further ones of the head
    /// @throws IOException with a code for the record, when it was not taken
    void send(String type, Map<String, String> fields, byte[] body) throws IOException;
}
