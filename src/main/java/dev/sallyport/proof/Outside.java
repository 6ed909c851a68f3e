package dev.sallyport.proof;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// What the kernel says about a sandbox's first process.
final class Outside {
    private static final int BYTES_MAX = 8 << 20;

    /// The beginning of a file of `/proc/PID` as ISO 8859-1; empty when it may not be read.
    static String text(Subject subject, String file) {
        Path path = Path.of("/proc", Long.toString(subject.identity().pid()), file);
        try (InputStream in = Files.newInputStream(path)) {
            return new String(in.readNBytes(BYTES_MAX), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
