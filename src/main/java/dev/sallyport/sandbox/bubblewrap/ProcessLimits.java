package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.sandbox.Resources;
import java.util.List;

/// The limits that the kernel holds per process and hands down to its children.
///
/// They are set in the sandbox's own user namespace, and before a further one is made in it: then
/// the number of processes counts for all commands of one sandbox together, and not for what else
/// the person runs.
final class ProcessLimits {
    /// `ulimit -f` counts in these.
    private static final long BLOCK_BYTES = 512;

    /// A limit that is lower already cannot be raised, and need not be. What `bash` calls `-u` is
    /// `-p` in `dash`.
    private static final String SET =
            "ulimit -c 0; ulimit -f \"$1\" 2>/dev/null; ulimit -n \"$2\" 2>/dev/null;"
                    + " test -z \"$3\" || ulimit -u \"$3\" 2>/dev/null || ulimit -p \"$3\" 2>/dev/null;"
                    + " shift 3; exec \"$@\"";

    private ProcessLimits() {}

    /// The beginning of a command line that sets them and runs the rest.
    static List<String> of(Resources resources) {
        return List.of(
                "/bin/sh",
                "-c",
                SET,
                "sallyport",
                Long.toString(resources.fileBytes() / BLOCK_BYTES),
                Long.toString(Resources.OPEN_FILES),
                resources.processes().map(count -> Long.toString(count)).orElse(""));
    }
}
