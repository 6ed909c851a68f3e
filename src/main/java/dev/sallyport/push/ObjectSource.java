package dev.sallyport.push;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.storage.file.ObjectDirectory;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.util.FS;

/// Reads the objects that a push consists of or refers to: its own from the quarantine, all others
/// from upstream's copy. So it is known whose fault it is when one cannot be read.
final class ObjectSource implements AutoCloseable {
    private static final int COMPARED_BYTES = 8_192;

    private final PackContents pack;
    private final UpstreamObjects mirror;
    private final ObjectDirectory quarantined;
    private final ObjectReader own;
    private final ObjectDirectory joined;

    ObjectSource(Quarantine quarantine, PackContents pack, UpstreamObjects mirror)
            throws IOException {
        this.pack = pack;
        this.mirror = mirror;
        this.quarantined = open(quarantine.objects());
        this.own = quarantined.newReader();
        this.joined = open(quarantine.objects(), quarantine.mirrorObjects());
    }

    /// An object directory by itself: no repository, so no configuration to be read.
    static ObjectDirectory open(Path directory, Path... alternates) throws IOException {
        File[] others = new File[alternates.length];
        for (int i = 0; i < others.length; i++) {
            others[i] = alternates[i].toFile();
        }
        return new ObjectDirectory(new Config(), directory.toFile(), others, FS.DETECTED, null);
    }

    PackContents pack() {
        return pack;
    }

    UpstreamObjects mirror() {
        return mirror;
    }

    /// For walks over the history of both.
    ObjectReader newJoinedReader() {
        return joined.newReader();
    }

    boolean exists(AnyObjectId id) throws IOException {
        return pack.find(id) != PackContents.NONE || mirror.has(id);
    }

    /// An object that upstream has under the same id must be the same object.
    void requireNoCollision(Deadline deadline) throws IOException {
        for (int i = 0; i < pack.count(); i++) {
            deadline.step();
            if (!pack.isNew(i, mirror)) {
                deadline.check();
                requireSame(pack.id(i), pack.type(i));
            }
        }
    }

    private void requireSame(ObjectId id, int type) throws IOException {
        try (InputStream ours = own.open(id, type).openStream();
                InputStream theirs = mirror.open(id, type).openStream()) {
            byte[] some = new byte[COMPARED_BYTES];
            byte[] other = new byte[COMPARED_BYTES];
            int count;
            do {
                count = ours.readNBytes(some, 0, some.length);
                int same = theirs.readNBytes(other, 0, other.length);
                if (!Arrays.equals(some, 0, count, other, 0, same)) {
                    throw PushRefusedException.malformed("two objects have the id " + id.name());
                }
            } while (count == some.length);
        }
    }

    byte[] commit(AnyObjectId id) throws IOException {
        return read(id, Constants.OBJ_COMMIT);
    }

    byte[] tree(AnyObjectId id) throws IOException {
        return read(id, Constants.OBJ_TREE);
    }

    byte[] tag(AnyObjectId id) throws IOException {
        return read(id, Constants.OBJ_TAG);
    }

    private byte[] read(AnyObjectId id, int type) throws IOException {
        int position = pack.find(id);
        try {
            if (position == PackContents.NONE) {
                return mirror.read(id, type);
            }
            return own.open(id, type).getCachedBytes((int) PackSizes.STRUCTURE_BYTES_MAX);
        } catch (MissingObjectException e) {
            throw PushRefusedException.missing(
                    Constants.typeString(type) + " " + id.name() + " is not there");
        } catch (IncorrectObjectTypeException e) {
            throw wrongType(id, type);
        }
    }

    InputStream blob(AnyObjectId id) throws IOException {
        try {
            return pack.find(id) == PackContents.NONE
                    ? mirror.open(id, Constants.OBJ_BLOB).openStream()
                    : own.open(id, Constants.OBJ_BLOB).openStream();
        } catch (MissingObjectException e) {
            throw PushRefusedException.missing("blob " + id.name() + " is not there");
        } catch (IncorrectObjectTypeException e) {
            throw wrongType(id, Constants.OBJ_BLOB);
        }
    }

    long blobBytes(AnyObjectId id) throws IOException {
        return own.getObjectSize(id, Constants.OBJ_BLOB);
    }

    static PushRefusedException wrongType(AnyObjectId id, int type) {
        return PushRefusedException.malformed(
                id.name() + " is not the " + Constants.typeString(type) + " that it is said to be");
    }

    @Override
    public void close() {
        own.close();
        quarantined.close();
        joined.close();
    }
}
