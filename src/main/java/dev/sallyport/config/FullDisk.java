package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Tells a full disk from other trouble, because a person can mend that one alone.
public final class FullDisk {
    public static final String REMEDY = "Free some space on that disk, then repeat the command.";

    private static final String SENTENCE = "The disk is full";
    private static final List<String> SAYINGS =
            List.of("No space left on device", "Disk quota exceeded", "SQLITE_FULL", SENTENCE);
    private static final int CAUSES_MAX = 16;

    /// Less than any file system gives out at once.
    private static final long BYTES_MIN = 4_096;

    private FullDisk() {}

    public static boolean isCauseOf(Throwable failure) {
        @Nullable Throwable cause = failure;
        for (int i = 0; i < CAUSES_MAX && cause != null; i++) {
            String text = String.valueOf(cause.getMessage());
            if (SAYINGS.stream().anyMatch(text::contains)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /// Whether the disk of a file is full now; for those who only say that writing failed.
    public static boolean isFull(Path file) {
        try {
            return Files.getFileStore(file).getUsableSpace() < BYTES_MIN;
        } catch (IOException e) {
            return false;
        }
    }

    public static String sentence(Path file) {
        return SENTENCE + ": " + file + " cannot be written.";
    }

    public static String sentence(Throwable failure) {
        String said = String.valueOf(failure.getMessage());
        return said.startsWith(SENTENCE) ? said : SENTENCE + ": " + said;
    }
}
