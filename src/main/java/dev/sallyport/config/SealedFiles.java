package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/// A directory of private files that hold secrets, one per name. Without a key a file is
/// `NAME.json`; with one it is `NAME.age`, encrypted. Where a key is configured a plain file is
/// refused and not taken along, so that nobody believes to be encrypted who is not.
public final class SealedFiles {
    private static final int BYTES_MAX = 64 * 1024;
    private static final String PLAIN = ".json";
    private static final String SEALED = ".age";

    private final Path directory;
    private final Optional<AgeKey> key;

    public SealedFiles(Path directory, Optional<AgeKey> key) {
        this.directory = directory;
        this.key = key;
    }

    /// Replaces the file as a whole. The caller wipes the bytes.
    public void write(String name, byte[] bytes) throws IOException {
        Ownership.requirePrivateDirectory(directory);
        PrivateFile.replace(file(name), key.isPresent() ? key.get().seal(bytes) : bytes);
        Files.deleteIfExists(otherForm(name));
    }

    /// The caller wipes the bytes.
    public byte[] read(String name) throws IOException {
        Ownership.requirePrivateDirectory(directory);
        if (exists(otherForm(name))) {
            throw key.isPresent() ? plain(otherForm(name)) : sealed(otherForm(name));
        }
        return content(file(name));
    }

    private byte[] content(Path file) throws IOException {
        Ownership.requirePrivateFile(file);
        if (Files.size(file) > BYTES_MAX) {
            throw new ConfigException(
                    file + " is too large.", "Move it away and set the secret again.");
        }
        byte[] bytes = Files.readAllBytes(file);
        if (!file.toString().endsWith(SEALED)) {
            return bytes;
        }
        AgeKey opener = key.orElseThrow();
        try {
            return opener.open(bytes);
        } catch (AgeKey.NotSealedException _) {
            throw new ConfigException(
                    file + " cannot be decrypted with the key in " + opener.file() + ".",
                    "Restore the key it was encrypted with, or the file. Nothing was changed.");
        }
    }

    /// In either form, finished or not; whether there was one.
    public boolean remove(String name) throws IOException {
        Ownership.requirePrivateDirectory(directory);
        Files.deleteIfExists(directory.resolve(name + PrivateFile.UNFINISHED));
        boolean other = Files.deleteIfExists(otherForm(name));
        return Files.deleteIfExists(file(name)) || other;
    }

    /// All names, in either form.
    ///
    /// @throws ConfigException for a file that is neither
    SortedSet<String> names() throws IOException {
        Ownership.requirePrivateDirectory(directory);
        SortedSet<String> names = new TreeSet<>();
        for (String file : entries()) {
            if (file.endsWith(PLAIN) || file.endsWith(SEALED)) {
                names.add(file.substring(0, file.lastIndexOf('.')));
            } else if (!file.endsWith(PrivateFile.UNFINISHED)) {
                throw new ConfigException(
                        directory.resolve(file) + " is not a secret file.",
                        "Remove it. Add secrets with: sallyport secret set NAME");
            }
        }
        return names;
    }

    private Iterable<String> entries() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> String.valueOf(entry.getFileName())).toList();
        }
    }

    /// Encrypts what is plain, and what is encrypted to an older identity of the key anew. A
    /// failure half-way loses nothing: it can be done again.
    ///
    /// @return how many files there are now, all encrypted
    public int seal() throws IOException {
        AgeKey sealer = key.orElseThrow(() -> new IllegalStateException("no key is configured"));
        sealer.verify();
        SortedSet<String> names = names();
        for (String name : names) {
            // Both are there after a crash between writing one and removing the other.
            byte[] bytes = content(exists(file(name)) ? file(name) : otherForm(name));
            try {
                write(name, bytes);
            } finally {
                Arrays.fill(bytes, (byte) 0);
            }
        }
        for (String left : entries()) {
            if (left.endsWith(PrivateFile.UNFINISHED)) {
                Files.deleteIfExists(directory.resolve(left));
            }
        }
        return names.size();
    }

    Path file(String name) {
        return directory.resolve(name + (key.isPresent() ? SEALED : PLAIN));
    }

    private Path otherForm(String name) {
        return directory.resolve(name + (key.isPresent() ? PLAIN : SEALED));
    }

    private static boolean exists(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    private static ConfigException plain(Path file) {
        return new ConfigException(
                file + " is not encrypted, but policy.yaml sets a key.",
                "Run: sallyport secret encrypt");
    }

    private static ConfigException sealed(Path file) {
        return new ConfigException(
                file + " is encrypted, but policy.yaml sets no key.",
                "Add secrets: {key-file: PATH} there and restart the daemon: sallyport down, sallyport up");
    }
}
