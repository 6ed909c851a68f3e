package dev.sallyport.cli;

import java.util.Collections;
import java.util.Iterator;

/// Marks a parameter as the name of a sandbox. Which ones there are is asked when a shell completes
/// it, see [Completions].
final class SandboxNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return Collections.emptyIterator();
    }
}
