package dev.sallyport.audit;

import dev.sallyport.config.ConfigException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;

/// The end of a log file: its last whole line, proven, and what a crash left after it.
///
/// @param last empty when the file has no whole line
/// @param torn the bytes after the last line end: a line that nobody was promised
@SuppressWarnings("ArrayRecordComponent") // Nobody compares ends, or writes to one.
record LogTail(Optional<AuditLine> last, byte[] torn) {
    private static final int WINDOW_BYTES = 2 * AuditLine.BYTES_MAX;

    static LogTail read(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return new LogTail(Optional.empty(), new byte[0]);
        }
        byte[] window = window(file);
        boolean whole = window.length == Files.size(file);
        int end = lastLineEnd(window, window.length);
        int start = lastLineEnd(window, end - 1);
        if ((end == 0 || start == 0) && !whole) {
            throw corrupt(file, "its end is not made of lines");
        }
        byte[] torn = Arrays.copyOfRange(window, end, window.length);
        if (end == 0) {
            return new LogTail(Optional.empty(), torn);
        }
        try {
            byte[] line = Arrays.copyOfRange(window, start, end - 1);
            return new LogTail(Optional.of(AuditLine.decode(line)), torn);
        } catch (IOException e) {
            throw corrupt(file, "of its last line: " + e.getMessage());
        }
    }

    private static byte[] window(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            long from = Math.max(0, channel.size() - WINDOW_BYTES);
            ByteBuffer bytes = ByteBuffer.allocate((int) (channel.size() - from));
            while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) >= 0) {
                // Reads until the window is full or the file ends.
            }
            return Arrays.copyOf(bytes.array(), bytes.position());
        }
    }

    /// Index after the last line feed before `limit`, or 0.
    private static int lastLineEnd(byte[] bytes, int limit) {
        int index = limit;
        while (index > 0 && bytes[index - 1] != '\n') {
            index--;
        }
        return Math.max(index, 0);
    }

    private static ConfigException corrupt(Path file, String what) {
        return new ConfigException(
                file + " is damaged: " + what + ".",
                "Run: sallyport audit verify. Keep the directory as evidence and move it aside. The daemon then starts a new log.");
    }
}
