package dev.sallyport.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/// A configuration file of another program.
record ToolFile(Path path, String text) {
    private static final int BYTES_MAX = 1 << 20;
    private static final int LINE_LENGTH_MAX = 4_096;

    /// A file of this root that was not reached through a symlink: one could lead to where an agent
    /// writes.
    ///
    /// @throws IOException whose message tells nothing of the content
    static ToolFile read(Path root, String relative) throws IOException {
        Path file = root.resolve(relative);
        if (!file.toRealPath().equals(root.toRealPath().resolve(relative))) {
            throw new IOException("it is reached through a symlink");
        }
        Ownership.requireUnforgeableFile(file);
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            bytes = in.readNBytes(BYTES_MAX + 1);
        }
        if (bytes.length > BYTES_MAX) {
            throw new IOException("it is larger than 1 MiB");
        }
        try {
            var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return new ToolFile(file, text.toString());
        } catch (CharacterCodingException e) {
            throw new IOException("it is not UTF-8 text", e);
        }
    }

    /// An overlong line, which holds no address, is an empty one here.
    List<String> lines() {
        return text.lines().map(line -> line.length() > LINE_LENGTH_MAX ? "" : line).toList();
    }

    /// The first line that has this word, for parsers that do not tell it.
    int lineOf(String word) {
        List<String> lines = lines();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains(word)) {
                return i + 1;
            }
        }
        return 1;
    }

    /// Its content may hold credentials.
    @Override
    public String toString() {
        return "ToolFile[" + path + "]";
    }
}
