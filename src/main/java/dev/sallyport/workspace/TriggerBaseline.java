package dev.sallyport.workspace;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.PrivateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What there was when somebody last looked, of a sandbox that stays, in a file of the [Home]: so
/// that what it does between two commands is seen, too.
///
/// @param session of which there is a file
public record TriggerBaseline(Home home, String session) {
    private static final long BYTES_MAX = 256L << 20;
    private static final JsonMapper JSON = JsonMapper.builder().addModule(new Jdk8Module()).build();

    /// One directory, as it is written.
    record Kept(String root, String key, boolean partial, Map<String, Trigger> found) {}

    private Path file() {
        return home.watched().resolve(session + ".json");
    }

    /// Empty when nobody has looked before.
    public Optional<List<TriggerFiles>> load() throws IOException {
        Path file = file();
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        Ownership.requirePrivateFile(file);
        if (Files.size(file) > BYTES_MAX) {
            return Optional.empty();
        }
        List<TriggerFiles> all = new ArrayList<>();
        for (Kept kept : JSON.readValue(file.toFile(), Kept[].class)) {
            Map<Path, Trigger> found = new TreeMap<>();
            kept.found.forEach((path, trigger) -> found.put(Path.of(path), trigger));
            all.add(new TriggerFiles(Path.of(kept.root), kept.key, found, kept.partial));
        }
        return Optional.of(all);
    }

    public void save(List<TriggerFiles> all) throws IOException {
        save(all, BYTES_MAX);
    }

    void save(List<TriggerFiles> all, long bytesMax) throws IOException {
        List<Kept> kept = new ArrayList<>();
        for (TriggerFiles files : all) {
            Map<String, Trigger> found = new TreeMap<>();
            files.found().forEach((path, trigger) -> found.put(path.toString(), trigger));
            kept.add(new Kept(files.root().toString(), files.key(), files.partial(), found));
        }
        byte[] bytes = JSON.writeValueAsBytes(kept);
        if (bytes.length > bytesMax) {
            // What was kept before stays: then more counts as changed, not less.
            throw new IOException("it has more than " + bytesMax + " bytes");
        }
        home.create(home.watched());
        PrivateFile.replace(file(), bytes);
    }

    public void forget() throws IOException {
        Files.deleteIfExists(file());
    }
}
