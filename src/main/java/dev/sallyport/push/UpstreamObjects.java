package dev.sallyport.push;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.LargeObjectException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.storage.file.ObjectDirectory;
import org.eclipse.jgit.internal.storage.file.Pack;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;

/// The objects of upstream's copy, without those of the push. What goes wrong in here is the copy's
/// fault, except that a push can ask for what is not there or is something else.
final class UpstreamObjects implements AutoCloseable {
    private final ObjectDirectory objects;
    private final ObjectReader reader;
    private final Collection<Pack> packs;
    private final Set<ObjectId> shallow;

    /// @param shallow commits whose parents upstream does not have
    UpstreamObjects(Path directory, Set<ObjectId> shallow) throws IOException {
        this.objects = ObjectSource.open(directory);
        this.reader = objects.newReader();
        this.packs = objects.getPacks();
        this.shallow = shallow;
    }

    Set<ObjectId> shallow() {
        return shallow;
    }

    /// Over upstream's history alone.
    BoundedWalk walk(Deadline deadline) throws IOException {
        return new BoundedWalk(reader, shallow, deadline);
    }

    /// What the copy gets meanwhile does not count: JGit's own question looks for new packs at each
    /// object that is not there.
    boolean has(AnyObjectId id) throws MirrorTroubleException {
        try {
            for (Pack pack : packs) {
                if (pack.hasObject(id)) {
                    return true;
                }
            }
            return objects.fileFor(id).exists();
        } catch (IOException | RuntimeException e) {
            throw trouble(e);
        }
    }

    /// @throws MissingObjectException when it is not there
    /// @throws IncorrectObjectTypeException when it is something else
    ObjectLoader open(AnyObjectId id, int type) throws IOException {
        try {
            return reader.open(id, type);
        } catch (MissingObjectException | IncorrectObjectTypeException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw trouble(e);
        }
    }

    byte[] read(AnyObjectId id, int type) throws IOException {
        try {
            return open(id, type).getCachedBytes((int) PackSizes.STRUCTURE_BYTES_MAX);
        } catch (LargeObjectException e) {
            throw PushRefusedException.limit("it builds upon an object that is too large to judge");
        } catch (MissingObjectException | IncorrectObjectTypeException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw trouble(e);
        }
    }

    static MirrorTroubleException trouble(Exception cause) {
        return cause instanceof MirrorTroubleException same
                ? same
                : new MirrorTroubleException("the copy of upstream cannot be read", cause);
    }

    @Override
    public void close() {
        reader.close();
        objects.close();
    }
}
