package dev.sallyport.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Command lines of processes that somebody else may run. The kernel shows what a process says its
/// command line is, and a process may say that it is as long as its address space.
public final class CommandLines {
    /// Longer than any that we make.
    private static final int BYTES_MAX = 1 << 20;

    private CommandLines() {}

    /// Its words; none when it is longer than any of ours.
    ///
    /// @param process its directory below `/proc`
    public static List<String> of(Path process) throws IOException {
        try (InputStream in = Files.newInputStream(process.resolve("cmdline"))) {
            byte[] line = in.readNBytes(BYTES_MAX + 1);
            return line.length > BYTES_MAX
                    ? List.of()
                    : List.of(new String(line, StandardCharsets.ISO_8859_1).split("\0", -1));
        }
    }
}
