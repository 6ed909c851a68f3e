package dev.sallyport.mirror;

import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// All copies of this installation: which there are, who uses them, how much disk they take. The
/// least recently used go when there is no room; never one that somebody uses.
///
/// One process has the shelf at a time. A gateway that takes over waits for the old one's end.
final class Shelf implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Shelf.class.getName());
    private static final String LOCK = "lock";
    private static final Pattern COPY = Pattern.compile("([0-9a-f]{64})-[0-9a-f-]{36}");
    private static final int OPEN_MAX = 4;
    private static final int LOCK_SECONDS_MAX = 30;
    private static final long LOCK_POLL_MILLIS = 20;

    /// A copy with what the shelf knows about it.
    static final class Place {
        private final String key;
        private final Copy copy;
        private long bytes;
        private long usedMillis;
        private int users;
        private boolean doomed;

        private Place(String key, Copy copy, long bytes, long usedMillis) {
            this.key = key;
            this.copy = copy;
            this.bytes = bytes;
            this.usedMillis = usedMillis;
        }

        String key() {
            return key;
        }

        Copy copy() {
            return copy;
        }
    }

    private final Path directory;
    private final long bytesMax;
    private final Map<String, Place> places = new HashMap<>();
    private final Map<Object, Long> incoming = new HashMap<>();
    private @Nullable FileChannel lock;

    Shelf(Path directory, long bytesMax) {
        this.directory = directory;
        this.bytesMax = bytesMax;
    }

    /// Takes the shelf for this process and clears away what a killed one left; once.
    synchronized void begin() throws IOException, InterruptedException {
        if (lock != null) {
            return;
        }
        Ownership.requirePrivateDirectory(directory);
        Deadline deadline = Deadline.in(LOCK_SECONDS_MAX);
        FileChannel channel =
                FileChannel.open(
                        directory.resolve(LOCK),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        try {
            while (!isLocked(channel)) {
                if (deadline.hasPassed()) {
                    throw new LimitException("another process has the copies");
                }
                TimeUnit.MILLISECONDS.sleep(LOCK_POLL_MILLIS);
            }
            scan();
            lock = channel;
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            FileLock held = channel.tryLock();
            return held != null;
        } catch (OverlappingFileLockException _) {
            return false;
        }
    }

    private void scan() throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                Matcher copy = COPY.matcher(name);
                if (copy.matches()
                        && Files.isRegularFile(entry.resolve(Manifest.FILE))
                        && !places.containsKey(copy.group(1))) {
                    put(copy.group(1), entry);
                } else if (!name.equals(LOCK)) {
                    CopyLayout.remove(entry);
                }
            }
        }
    }

    private void put(String key, Path entry) throws IOException {
        long bytes = CopyLayout.bytes(entry);
        Path used = entry.resolve(CopyLayout.USED);
        long millis = Files.exists(used) ? Files.getLastModifiedTime(used).toMillis() : 0;
        places.put(key, new Place(key, new Copy(entry), bytes, millis));
    }

    /// The copy, which stays until it is given back.
    synchronized Optional<Place> use(String key) {
        Place place = places.get(key);
        if (place != null) {
            place.users++;
        }
        return Optional.ofNullable(place);
    }

    /// Where a new copy is made; nobody finds it before it is added.
    Path newDirectory() throws IOException {
        return Files.createDirectory(directory.resolve("new-" + UUID.randomUUID()));
    }

    /// Puts a finished directory in its place; it is used by the caller from now on.
    synchronized Place add(String key, Path finished) throws IOException {
        Path place = directory.resolve(key + "-" + UUID.randomUUID());
        Files.move(finished, place);
        put(key, place);
        return use(key).orElseThrow();
    }

    /// Notes how large a copy has become and that it is wanted.
    synchronized void refreshed(Place place) throws IOException {
        place.bytes = place.copy.bytes();
        place.usedMillis = System.currentTimeMillis();
        Files.setLastModifiedTime(
                place.copy.directory().resolve(CopyLayout.USED),
                FileTime.fromMillis(place.usedMillis));
        places.values().stream()
                .filter(other -> other.copy.isOpen())
                .sorted(Comparator.comparingLong((Place other) -> other.usedMillis).reversed())
                .skip(OPEN_MAX)
                .filter(other -> other.users == 0)
                .forEach(other -> other.copy.shut());
        // When all are in use, room is made for the next that comes in.
        var _ = makeRoom();
    }

    synchronized void giveBack(Place place) {
        place.users--;
        removeIfDone(place);
    }

    /// Whether the caller, who uses it, is the only one.
    synchronized boolean isAlone(Place place) {
        return place.users == 1;
    }

    /// Takes a copy off the shelf; its files go when nobody uses it any more.
    synchronized void discard(Place place) {
        place.doomed = true;
        places.remove(place.key, place);
        forget(place);
        removeIfDone(place);
    }

    /// Makes sure that it is not found again even if this process dies before its files are gone.
    synchronized void forget(Place place) {
        try {
            Files.deleteIfExists(place.copy.directory().resolve(Manifest.FILE));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a bad copy stays behind", e);
        }
    }

    private static void removeIfDone(Place place) {
        if (place.doomed && place.users == 0) {
            place.copy.shut();
            removeQuietly(place.copy.directory());
        }
    }

    static void removeQuietly(Path directory) {
        try {
            CopyLayout.remove(directory);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a copy stays behind", e);
        }
    }

    /// Makes room for something that is coming in.
    ///
    /// @param bytes how much it is by now
    synchronized void reserve(Object coming, long bytes) throws LimitException {
        incoming.put(coming, bytes);
        if (!makeRoom()) {
            throw new LimitException("the disk space for copies is used up");
        }
    }

    private boolean makeRoom() {
        while (total() > bytesMax) {
            Optional<Place> oldest =
                    places.values().stream()
                            .filter(place -> place.users == 0)
                            .min(Comparator.comparingLong(place -> place.usedMillis));
            if (oldest.isEmpty()) {
                return false;
            }
            discard(oldest.get());
        }
        return true;
    }

    synchronized void arrived(Object coming) {
        incoming.remove(coming);
    }

    synchronized int size() {
        return places.size();
    }

    synchronized long bytes() {
        return total();
    }

    private long total() {
        long kept = places.values().stream().mapToLong(place -> place.bytes).sum();
        return kept + incoming.values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public synchronized void close() {
        places.values().forEach(place -> place.copy.shut());
        places.clear();
        if (lock != null) {
            try {
                lock.close();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "the lock was not closed", e);
            }
            lock = null;
        }
    }
}
