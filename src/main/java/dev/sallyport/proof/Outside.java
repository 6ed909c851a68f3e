package dev.sallyport.proof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// What the kernel says about a sandbox's first process.
final class Outside {
    private Outside() {}

    /// A file of `/proc/PID` as ISO 8859-1; empty when it may not be read.
    static String text(Subject subject, String file) {
        Path path = Path.of("/proc", Long.toString(subject.identity().pid()), file);
        try {
            return new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
