package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.SortedSet;

/// Records of one type in a directory of [SealedFiles], one for each name.
public final class SealedJson<T> {
    private final Path directory;
    private final SealedFiles files;
    private final RecordBytes<T> plain;

    /// Nothing is read or made yet.
    ///
    /// @param type a record whose constructor refuses what cannot be, with an
    ///   [IllegalArgumentException]
    public SealedJson(Path directory, Optional<AgeKey> key, Class<T> type) {
        this.directory = directory;
        this.files = new SealedFiles(directory, key);
        this.plain = new RecordBytes<>(Optional.empty(), type);
    }

    /// Makes the directory where there is none.
    public void write(String name, T value) throws IOException {
        Ownership.createPrivateDirectory(directory);
        byte[] bytes = plain.of(value);
        try {
            files.write(name, bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    public T read(String name) throws IOException {
        byte[] bytes = files.read(name);
        try {
            return plain.read(bytes, String.valueOf(files.file(name)));
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
