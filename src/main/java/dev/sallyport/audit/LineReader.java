package dev.sallyport.audit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Reads a log file line by line with bounded memory, and tells a last line without its end from a
/// whole one.
final class LineReader implements AutoCloseable {
    private final InputStream input;
    private boolean torn;

    LineReader(Path file) throws IOException {
        this(Files.newInputStream(file));
    }

    LineReader(InputStream input) {
        this.input = new BufferedInputStream(input, 1 << 16);
    }

    /// The next whole line without its end; empty at the end of the file.
    Optional<byte[]> next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(512);
        for (int b = input.read(); b >= 0; b = input.read()) {
            if (b == '\n') {
                return Optional.of(line.toByteArray());
            }
            if (line.size() >= AuditLine.BYTES_MAX) {
                throw new IOException("it is longer than any line of this log");
            }
            line.write(b);
        }
        torn = line.size() > 0;
        return Optional.empty();
    }

    /// Whether the file ended in the middle of a line.
    boolean isTorn() {
        return torn;
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
