package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.sandbox.ForeignTree;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.Resources;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxFiles;
import dev.sallyport.sandbox.SandboxSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// What a sandbox writes to disk besides its workspace: a home that lasts, and temporary files
/// where memory is short.
final class BubblewrapHome {
    /// With less of it, a sandbox that fills `/tmp` would have little left to work with: what lies
    /// there counts as its memory.
    private static final long MEMORY_BYTES_MIN = 8L << 30;

    static Optional<Path> of(SandboxSpec spec, Person person) {
        return spec.home()
                .directory()
                .map(directory -> directory.resolve(Integer.toString(person.uid())));
    }

    static Path temporaryFiles(SandboxSpec spec) {
        return spec.files().resolve(SandboxFiles.TEMPORARY);
    }

    static boolean hasTemporaryFilesOnDisk(SandboxSpec spec) throws IOException {
        long memory = spec.resources().memoryBytes().orElse(Resources.halfOfMemory());
        return memory < MEMORY_BYTES_MIN;
    }

    /// Makes what is needed. Temporary files of an earlier start are not there any more.
    static void make(SandboxSpec spec, Person person) throws SandboxException {
        try {
            Optional<Path> home = of(spec, person);
            if (home.isPresent()) {
                new ForeignTree(home.get()).make(person.uid(), person.gid());
            }
            clear(spec);
            if (hasTemporaryFilesOnDisk(spec)) {
                new ForeignTree(temporaryFiles(spec)).make(person.uid(), person.gid());
            }
        } catch (IOException e) {
            throw new SandboxException("cannot read /proc/meminfo: " + e.getMessage(), e);
        }
    }

    /// Removes temporary files.
    static void clear(SandboxSpec spec) throws SandboxException {
        new ForeignTree(temporaryFiles(spec)).remove();
    }
}
