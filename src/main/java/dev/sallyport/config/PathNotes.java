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
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/// What a person decided about paths, one word for each, in a JSON file of the [Home]. What cannot
/// be read is no decision, and is not silently begun anew.
final class PathNotes {
    private static final Duration LOCK_MAX = Duration.ofSeconds(10);
    private static final Duration LOCK_INTERVAL = Duration.ofMillis(20);
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    /// What the file is, for people.
    ///
    /// @param field what the word is called in the file
    /// @param form what words look like
    /// @param what of which the file is a list
    /// @param again what to do after the file was removed
    record Shape(
            String field, Pattern form, int entriesMax, int bytesMax, String what, String again) {}

    /// One decision.
    record Note(Path path, String word, Instant when) {}

    private final Path file;
    private final Shape shape;

    PathNotes(Path file, Shape shape) {
        this.file = file;
        this.shape = shape;
    }

    synchronized void put(Path path, String word) throws IOException {
        try (FileChannel _ = lock()) {
            Map<Path, Note> notes = load();
            Path canonical = canonical(path);
            notes.put(canonical, new Note(canonical, word, Instant.now()));
            if (notes.size() > shape.entriesMax()) {
                notes.keySet().removeIf(known -> !Files.exists(known));
            }
            if (notes.size() > shape.entriesMax()) {
                throw new ConfigException(
                        file + " lists more than " + shape.entriesMax() + " " + shape.what() + ".",
                        "Remove some of them.");
            }
            save(notes);
        }
    }

    /// Whether there was one.
    synchronized boolean remove(Path path) throws IOException {
        try (FileChannel _ = lock()) {
            Map<Path, Note> notes = load();
            boolean there = notes.remove(canonical(path)) != null;
            if (there) {
                save(notes);
            }
            return there;
        }
    }

    static Path canonical(Path path) {
        return path.toAbsolutePath().normalize();
    }

    /// Held while the list is changed: what one command forgets, another must not bring back.
    private FileChannel lock() throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".lock");
        Ownership.createPrivateFile(beside);
        FileChannel channel =
                FileChannel.open(beside, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        long deadlineNanos = System.nanoTime() + LOCK_MAX.toNanos();
        while (System.nanoTime() - deadlineNanos < 0) {
            if (isLocked(channel)) {
                return channel;
            }
            LockSupport.parkNanos(LOCK_INTERVAL.toNanos());
        }
        channel.close();
        throw new ConfigException(
                "Another command is changing " + file + ".", "Try again when it has finished.");
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // Held within this process: the same answer.
            return false;
        }
    }

    synchronized Map<Path, Note> load() throws IOException {
        Map<Path, Note> notes = new LinkedHashMap<>();
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return notes;
        }
        Ownership.requirePrivateFile(file);
        if (Files.size(file) > shape.bytesMax()) {
            throw damaged();
        }
        try {
            JsonNode json = JSON.readTree(Files.readAllBytes(file));
            if (!json.isArray()) {
                throw damaged();
            }
            for (JsonNode node : json) {
                Note note = note(node);
                if (notes.put(note.path(), note) != null) {
                    throw damaged();
                }
            }
            return notes;
        } catch (JsonProcessingException | DateTimeException | InvalidPathException e) {
            throw damaged();
        }
    }

    private Note note(JsonNode node) throws ConfigException {
        Set<String> fields = Set.of("path", shape.field(), "when");
        for (var property : node.properties()) {
            if (!fields.contains(property.getKey()) || !property.getValue().isTextual()) {
                throw damaged();
            }
        }
        Path path = Path.of(node.path("path").asText());
        String word = node.path(shape.field()).asText();
        if (!path.isAbsolute() || !shape.form().matcher(word).matches()) {
            throw damaged();
        }
        return new Note(path, word, Instant.parse(node.path("when").asText()));
    }

    private void save(Map<Path, Note> notes) throws IOException {
        ArrayNode json = JSON.createArrayNode();
        for (Note note : notes.values()) {
            json.addObject()
                    .put("path", note.path().toString())
                    .put(shape.field(), note.word())
                    .put("when", note.when().toString());
        }
        PrivateFile.replace(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json));
    }

    private ConfigException damaged() {
        return new ConfigException(
                file + " is not a list of " + shape.what() + ".",
                "Remove it, and " + shape.again() + ".");
    }
}
