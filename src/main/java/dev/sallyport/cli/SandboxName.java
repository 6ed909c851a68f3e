package dev.sallyport.cli;

import java.util.Collections;
import java.util.Iterator;
import picocli.CommandLine.Parameters;

/// The sandbox that a command is about, named before everything else.
final class SandboxName {
    @Parameters(
            index = "0",
            paramLabel = "NAME",
            completionCandidates = SandboxNames.class,
            description = "Name of the sandbox.")
    private String name = "";

    String name() {
        return name;
    }

    /// Marks a parameter as the name of a sandbox. Which ones there are is asked when a shell
    /// completes it, see [Completions].
    static final class SandboxNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Collections.emptyIterator();
        }
    }
}
