package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/// The disk has no room. Everybody is told so in these words: the person, the sandbox's git, and
/// the record.
public final class DiskFullException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final long BLOCK_BYTES = 4_096;

    public DiskFullException(String message) {
        super(message);
    }

    public static DiskFullException at(Path where, Throwable cause) {
        DiskFullException full =
                new DiskFullException(
                        "the disk is full: no room for " + where + "; free some space");
        full.initCause(cause);
        return full;
    }

    /// Whether a write failed because there was no room. The system's words for it depend on its
    /// language, so the disk is asked as well.
    public static boolean isCause(Throwable problem, Path where) {
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            String said = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
            if (cause instanceof DiskFullException
                    || said.contains("no space left")
                    || said.contains("quota exceeded")) {
                return true;
            }
        }
        return problem instanceof IOException
                && !(problem instanceof ConfigException)
                && hasNoBlock(where);
    }

    private static boolean hasNoBlock(Path where) {
        try {
            Path existing = where;
            while (existing != null && !Files.exists(existing)) {
                existing = existing.getParent();
            }
            return existing != null && Files.getFileStore(existing).getUsableSpace() < BLOCK_BYTES;
        } catch (IOException e) {
            return false;
        }
    }
}
