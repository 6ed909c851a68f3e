package dev.sallyport.push;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/// Finds what looks like a credential in content of any size, in constant memory and in time
/// proportional to the content.
public interface SecretFinder {
    /// Reads to the end, unless there are more findings than anybody needs; does not close.
    List<SecretFinding> find(InputStream content) throws IOException;
}
