package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/// The project files that a person trusts, each by its path and the digest of its bytes: one that
/// was changed since is not trusted. The list is a JSON file of the [Home].
public final class TrustedFiles {
    private static final PathNotes.Shape SHAPE =
            new PathNotes.Shape(
                    "sha256",
                    Pattern.compile("[0-9a-f]{64}"),
                    1_000,
                    1 << 20,
                    "trusted files",
                    "trust the project files again");

    private final PathNotes notes;

    public TrustedFiles(Path file) {
        notes = new PathNotes(file, SHAPE);
    }

    /// One file that is trusted.
    public record Entry(Path path, String sha256, Instant when) {}

    public List<Entry> list() throws IOException {
        return notes.load().values().stream()
                .map(note -> new Entry(note.path(), note.word(), note.when()))
                .toList();
    }

    /// Whether these bytes are what a person trusted at this path. Whoever asks goes on with the
    /// same bytes.
    public boolean isTrusted(Path path, byte[] content) throws IOException {
        PathNotes.Note note = notes.load().get(PathNotes.canonical(path));
        return note != null
                && MessageDigest.isEqual(HexFormat.of().parseHex(note.word()), sha256(content));
    }

    /// Trusts these bytes at this path instead of any others there.
    public void trust(Path path, byte[] content) throws IOException {
        notes.put(path, digest(content));
    }

    /// Whether there was one.
    public boolean forget(Path path) throws IOException {
        return notes.remove(path);
    }

    /// By which bytes are known: SHA-256 in hexadecimal digits.
    public static String digest(byte[] content) {
        return HexFormat.of().formatHex(sha256(content));
    }

    private static byte[] sha256(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
