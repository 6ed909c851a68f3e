package dev.sallyport.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.credential.SecretModule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.SortedSet;

/// Records of one type in a directory of [SealedFiles], one for each name.
public final class SealedJson<T> {
    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .addModule(new SecretModule())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .build();

    private final Path directory;
    private final SealedFiles files;
    private final Class<T> type;

    /// Nothing is read or made yet.
    ///
    /// @param type a record whose constructor refuses what cannot be, with an
    ///   [IllegalArgumentException]
    public SealedJson(Path directory, Optional<AgeKey> key, Class<T> type) {
        this.directory = directory;
        this.files = new SealedFiles(directory, key);
        this.type = type;
    }

    /// Makes the directory where there is none.
    public void write(String name, T value) throws IOException {
        Ownership.createPrivateDirectory(directory);
        byte[] bytes = JSON.writeValueAsBytes(value);
        try {
            files.write(name, bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    public T read(String name) throws IOException {
        byte[] bytes = files.read(name);
        try {
            return JSON.readValue(bytes, type);
        } catch (JsonProcessingException _) {
            // A parser's message may quote a key.
            throw new ConfigException(
                    files.file(name) + " is damaged: it is not what was written.",
                    "Restore it from a backup.");
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /// All names, in the form that is read and in the other one.
    public SortedSet<String> names() throws IOException {
        Ownership.createPrivateDirectory(directory);
        return files.names();
    }

    /// Whether there was one.
    public boolean remove(String name) throws IOException {
        return files.remove(name);
    }

    /// As [#remove]; it does not come back when the power fails.
    public void removeForGood(String name) throws IOException {
        files.remove(name);
        PrivateFile.syncDirectory(directory);
    }

    /// Encrypts them all to the key that is configured.
    public void seal() throws IOException {
        Ownership.createPrivateDirectory(directory);
        files.seal();
    }
}
