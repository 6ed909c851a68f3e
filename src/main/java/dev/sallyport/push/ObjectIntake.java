package dev.sallyport.push;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.util.sha1.SHA1;
import org.jspecify.annotations.Nullable;

/// Takes each object of a pack once, inflated: computes its id (with the detection of collisions
/// that JGit has), checks its form, and looks for secrets if it is a file. Objects go in batches to
/// whoever has a processor to spare.
///
/// A bad form is told at the end, by [#requireSound], when all that concerns the pack as a whole
/// holds. What a scan finds is not told at all: the file is then scanned again where it is known
/// which commit brings it under which name, and so is a file whose scan failed.
final class ObjectIntake {
    /// What is not done yet may hold this much, whatever a pack inflates to.
    static final long HELD_BYTES_MAX = 8L << 20;

    private static final long BATCH_BYTES = 256 << 10;
    private static final int BATCH_OBJECTS = 512;

    private final PackEntries entries;
    private final @Nullable SecretFinder secrets;
    private final WorkShare share;
    private final Tools own = new Tools();
    private Batch batch = new Batch();
    private WorkShare.@Nullable Lane lane;
    private @Nullable Deadline deadline;
    private @Nullable Exception unsound;

    /// @param secrets null when nobody wants to know
    ObjectIntake(PackEntries entries, @Nullable SecretFinder secrets, WorkShare share) {
        this.entries = entries;
        this.secrets = secrets;
        this.share = share;
    }

    /// From now on, until [#settle].
    void begin(Deadline now) {
        deadline = now;
        lane = share.lane(HELD_BYTES_MAX, now);
    }

    /// What a thread needs to itself.
    private record Tools(SHA1 hash, StrictChecker form) {
        Tools() {
            this(SHA1.newInstance(), new StrictChecker());
        }
    }

    /// The array is the intake's own from the moment it is taken.
    @SuppressWarnings("ArrayRecordComponent")
    private record Item(int entry, int type, byte[] content) {}

    /// Objects that one thread works on, and what came of them.
    private final class Batch {
        private final List<Item> items = new ArrayList<>();
        private final List<ObjectId> ids = new ArrayList<>();
        private final List<Boolean> clean = new ArrayList<>();
        private @Nullable Exception unsound;
        private long bytes;

        void add(Item item) {
            items.add(item);
            bytes += item.content().length;
        }

        void run(Tools tools) {
            try {
                for (Item item : items) {
                    ObjectId id = id(tools.hash(), item);
                    tools.form().check(id, item.type(), item.content());
                    ids.add(id);
                    clean.add(item.type() == Constants.OBJ_BLOB && isClean(item.content()));
                }
            } catch (IOException | RuntimeException e) {
                unsound = e;
            }
        }

        void done() {
            for (int i = 0; i < ids.size(); i++) {
                Item item = items.get(i);
                entries.identify(
                        item.entry(),
                        item.type(),
                        ids.get(i),
                        clean.get(i),
                        item.type() == Constants.OBJ_BLOB && LfsPointer.isLike(item.content()));
            }
            if (unsound != null) {
                fail(unsound);
            }
        }
    }

    private static ObjectId id(SHA1 hash, Item item) {
        head(hash, item.type(), item.content().length);
        hash.update(item.content());
        return hash.toObjectId();
    }

    /// Begins the hash of an object.
    static void head(SHA1 hash, int type, long size) {
        hash.reset();
        hash.update(Constants.encodedTypeString(type));
        hash.update((byte) ' ');
        hash.update(Constants.encodeASCII(size));
        hash.update((byte) 0);
    }

    private boolean isClean(byte[] content) {
        return secrets != null && isClean(secrets, new ByteArrayInputStream(content));
    }

    private boolean isClean(SecretFinder finder, InputStream content) {
        try {
            return finder.find(new WatchedStream(content, now())).isEmpty();
        } catch (IOException | RuntimeException _) {
            return false;
        }
    }

    private Deadline now() {
        if (deadline == null) {
            throw new IllegalStateException("nobody has begun");
        }
        return deadline;
    }

    /// An object is not what it must be. The first one counts, and nothing behind it matters.
    private void fail(Exception reason) {
        if (unsound == null) {
            unsound = reason;
        }
    }

    /// The same, after what was taken before has had its say.
    void failInTurn(Exception reason) {
        lane().give(() -> {}, 0, () -> fail(reason));
    }

    boolean isSound() {
        return unsound == null;
    }

    void requireSound() throws IOException {
        switch (unsound) {
            case null -> {}
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Exception e -> throw new IOException(e);
        }
    }

    /// @param content belongs to this from now on
    void take(int entry, int type, byte[] content) {
        if (!isSound()) {
            return;
        }
        batch.add(new Item(entry, type, content));
        if (batch.bytes >= BATCH_BYTES || batch.items.size() >= BATCH_OBJECTS) {
            give();
        }
    }

    private void give() {
        Batch full = batch;
        batch = new Batch();
        lane().give(() -> full.run(new Tools()), full.bytes, full::done);
    }

    /// A file too large to be held: it was hashed as it went by and is scanned from the disk. It
    /// may begin with a pointer, which is all that git-lfs looks at.
    ///
    /// @param content opened and closed by the scan, and only if there is one
    void takeLarge(int entry, ObjectId id, Content content) {
        if (secrets == null) {
            entries.identify(entry, Constants.OBJ_BLOB, id, false, true);
            return;
        }
        boolean[] clean = new boolean[1];
        lane().give(
                        () -> clean[0] = isClean(content),
                        0,
                        () -> entries.identify(entry, Constants.OBJ_BLOB, id, clean[0], true));
    }

    /// Something that can be read later.
    interface Content {
        InputStream open() throws IOException;
    }

    private boolean isClean(Content content) {
        try (InputStream in = content.open()) {
            return secrets != null && isClean(secrets, in);
        } catch (IOException _) {
            return false;
        }
    }

    private WorkShare.Lane lane() {
        if (lane == null) {
            throw new IllegalStateException("nobody has begun");
        }
        return lane;
    }

    /// Returns when all objects so far are done; the last few are done here.
    void settle() {
        Batch rest = batch;
        batch = new Batch();
        rest.run(own);
        lane().settle();
        rest.done();
    }
}
