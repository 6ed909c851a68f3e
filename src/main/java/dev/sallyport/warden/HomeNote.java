package dev.sallyport.warden;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.control.ApiJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Optional;

/// What we know about a home that lasts, beside it, where no sandbox can write. When the note was
/// written is when the home was last used.
///
/// @param of name of the sandbox, or directory of the project
/// @param bytes what it took on disk when it was last left; not while it is in use, nor after a
///   crash
record HomeNote(String of, Optional<Long> bytes) {
    private static final ObjectMapper JSON = ApiJson.requests();
    private static final String FILE = "about.json";

    /// Empty for what has none, such as a home that is being made.
    static Optional<HomeNote> read(Path directory) {
        try {
            return Optional.of(
                    JSON.readValue(Files.readAllBytes(directory.resolve(FILE)), HomeNote.class));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// One at a time: what was left is still measured when its next sandbox starts.
    void write(Path directory) throws IOException {
        synchronized (JSON) {
            Path part = directory.resolve(FILE + ".part");
            Files.write(part, JSON.writeValueAsBytes(this));
            Files.move(part, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /// Writes it if nobody has used the home since.
    void writeUnlessUsed(Path directory, Instant since) throws IOException, OperationException {
        synchronized (JSON) {
            if (lastUsed(directory).equals(since)) {
                write(directory);
            }
        }
    }

    static Instant lastUsed(Path directory) throws OperationException {
        return OperationException.asking(
                () -> Files.getLastModifiedTime(directory.resolve(FILE)).toInstant());
    }
}
