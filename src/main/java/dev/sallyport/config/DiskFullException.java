package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The disk has no room. Everybody is told so in these words: the person, the sandbox's git, and
/// the record.
public final class DiskFullException extends IOException {
    private static final long serialVersionUID = 1L;

    public DiskFullException(String message) {
        super(message);
    }

    public static DiskFullException at(Path where, Throwable cause) {
        DiskFullException full = new DiskFullException(FullDisk.sentence(where));
        full.initCause(cause);
        return full;
    }

    /// The same failure, with the place if the disk was full: the system's own words do not say
    /// which one.
    public static IOException placed(IOException problem, Path where) {
        boolean bare = !FullDisk.sentence(problem).equals(problem.getMessage());
        return FullDisk.isCauseOf(problem) && bare ? at(where, problem) : problem;
    }

    /// Whether a write failed because there was no room. The system's words for it depend on its
    /// language, so the disk is asked as well.
    public static boolean isCause(Throwable problem, Path where) {
        Path existing = where;
        while (existing != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        return FullDisk.isCauseOf(problem)
                || (!(problem instanceof ConfigException)
                        && existing != null
                        && FullDisk.isFull(existing));
    }
}
