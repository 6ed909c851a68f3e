package dev.sallyport.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// The project files that a person trusts, each by its path and the digest of its bytes: one that
/// was changed since is not trusted. The list is a JSON file of the [Home].
public final class TrustedFiles {
    private static final int BYTES_MAX = 1 << 20;
    private static final int ENTRIES_MAX = 1_000;
    private static final Set<String> FIELDS = Set.of("path", "sha256", "when");
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private final Path file;

    public TrustedFiles(Path file) {
        this.file = file;
    }

    /// One file that is trusted.
    public record Entry(Path path, String sha256, Instant when) {}

    public synchronized List<Entry> list() throws IOException {
        return List.copyOf(load().values());
    }

    /// Whether these bytes are what a person trusted at this path. Whoever asks goes on with the
    /// same bytes.
    public synchronized boolean isTrusted(Path path, byte[] content) throws IOException {
        Entry entry = load().get(canonical(path));
        return entry != null
                && MessageDigest.isEqual(HexFormat.of().parseHex(entry.sha256()), sha256(content));
    }

    /// Trusts these bytes at this path instead of any others there.
    public synchronized void trust(Path path, byte[] content) throws IOException {
        try (FileChannel _ = lock()) {
            Map<Path, Entry> entries = load();
            Path canonical = canonical(path);
            entries.put(canonical, new Entry(canonical, digest(content), Instant.now()));
            if (entries.size() > ENTRIES_MAX) {
                throw new ConfigException(
                        "More than " + ENTRIES_MAX + " project files are trusted.",
                        "Forget some of those in " + file + ".");
            }
            save(entries);
        }
    }

    /// Whether there was one.
    public synchronized boolean forget(Path path) throws IOException {
        try (FileChannel _ = lock()) {
            Map<Path, Entry> entries = load();
            boolean there = entries.remove(canonical(path)) != null;
            if (there) {
                save(entries);
            }
            return there;
        }
    }

    /// Held while the list is changed: what one command forgets, another must not bring back.
    private FileChannel lock() throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".lock");
        Ownership.createPrivateFile(beside);
        FileChannel channel =
                FileChannel.open(beside, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // Held within this process: the same answer.
        }
        channel.close();
        throw new ConfigException(
                "Another command is changing " + file + ".", "Try again when it has ended.");
    }

    private static Path canonical(Path path) {
        return path.toAbsolutePath().normalize();
    }

    private Map<Path, Entry> load() throws IOException {
        Map<Path, Entry> entries = new LinkedHashMap<>();
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return entries;
        }
        Ownership.requirePrivateFile(file);
        if (Files.size(file) > BYTES_MAX) {
            throw damaged();
        }
        try {
            JsonNode json = JSON.readTree(Files.readAllBytes(file));
            if (!json.isArray()) {
                throw damaged();
            }
            for (JsonNode node : json) {
                Entry entry = entry(node);
                if (entries.put(entry.path(), entry) != null) {
                    throw damaged();
                }
            }
            return entries;
        } catch (JsonProcessingException | DateTimeException | InvalidPathException e) {
            throw damaged();
        }
    }

    private Entry entry(JsonNode node) throws ConfigException {
        for (var property : node.properties()) {
            if (!FIELDS.contains(property.getKey()) || !property.getValue().isTextual()) {
                throw damaged();
            }
        }
        Path path = Path.of(node.path("path").asText());
        String digest = node.path("sha256").asText();
        if (!path.isAbsolute() || !DIGEST.matcher(digest).matches()) {
            throw damaged();
        }
        return new Entry(path, digest, Instant.parse(node.path("when").asText()));
    }

    private void save(Map<Path, Entry> entries) throws IOException {
        ArrayNode json = JSON.createArrayNode();
        for (Entry entry : entries.values()) {
            json.addObject()
                    .put("path", entry.path().toString())
                    .put("sha256", entry.sha256())
                    .put("when", entry.when().toString());
        }
        PrivateFile.replace(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json));
    }

    /// A list that cannot be read trusts nothing, and is not silently begun anew.
    private ConfigException damaged() {
        return new ConfigException(
                file + " is not a list of trusted files.",
                "Remove it, and trust the project files again.");
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
