package dev.sallyport.push;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.LargeObjectException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.storage.file.ObjectDirectory;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.util.FS;

/// The objects of upstream's copy, without those of the push. What goes wrong in here is the copy's
/// fault, except that a push can ask for what is not there or is something else.
final class Mirror implements AutoCloseable {
    private final ObjectDirectory objects;
    private final ObjectReader reader;

    Mirror(Path directory) throws IOException {
        objects = open(directory);
        reader = objects.newReader();
    }

    /// An object directory by itself: no repository, so no configuration to be read.
    static ObjectDirectory open(Path directory, Path... alternates) throws IOException {
        File[] others = new File[alternates.length];
        for (int i = 0; i < others.length; i++) {
            others[i] = alternates[i].toFile();
        }
        return new ObjectDirectory(new Config(), directory.toFile(), others, FS.DETECTED, null);
    }

    ObjectReader reader() {
        return reader;
    }

    boolean has(AnyObjectId id) throws MirrorTroubleException {
        try {
            return reader.has(id);
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
            return open(id, type).getCachedBytes((int) PackScan.STRUCTURE_BYTES_MAX);
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
