package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Options that not every bubblewrap in use has; without them a temporary file system is bounded by
/// half the memory.
record BubblewrapFeatures(boolean tmpfsSize, boolean tmpfsPermissions) {
    /// Asked once for each bubblewrap that this machine has had.
    static final class Known {
        private record Answer(FileTime changed, BubblewrapFeatures features) {}

        private @Nullable Answer last;

        synchronized BubblewrapFeatures get() throws IOException, SandboxException {
            String program = HostProgram.require("bwrap");
            FileTime changed = Files.getLastModifiedTime(Path.of(program));
            Answer known = last;
            if (known == null || !known.changed().equals(changed)) {
                known =
                        new Answer(
                                changed, of(HostProgram.run(List.of(program, "--help")).output()));
                last = known;
            }
            return known.features();
        }
    }

    static BubblewrapFeatures of(String help) {
        return new BubblewrapFeatures(help.contains("--size "), help.contains("--perms "));
    }
}
