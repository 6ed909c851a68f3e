package dev.sallyport.mirror;

import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.storage.file.BasePackIndexWriter;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectDatabase;
import org.eclipse.jgit.transport.PackParser;
import org.eclipse.jgit.transport.PackedObjectInfo;

/// Stores a pack that arrives as a stream, and its index. Every object is hashed and every delta
/// resolved; a pack that needs objects from elsewhere is refused.
///
/// JGit's own parser allocates what a pack claims about itself. This one knows what the heap can
/// bear: objects that must be held in memory as a whole, which all but undeltified files are, have
/// a limit, and so has what is held of a chain of deltas.
final class PackIntake extends PackParser {
    private static final int INDEX_VERSION = 2;

    private final Path pack;
    private final Path index;
    private final RandomAccessFile file;
    private final HeapBudget.Share heap;
    private final HeldBytes held;
    private final CRC32 crc = new CRC32();
    private byte[] trailer = {};
    private boolean resolving;

    /// @param pack where to write the pack, which must not exist
    /// @param index the same for its index
    PackIntake(
            ObjectDatabase database, InputStream in, Path pack, Path index, HeapBudget.Share heap)
            throws IOException {
        super(database, in);
        this.pack = pack;
        this.index = index;
        this.heap = heap;
        this.held = new HeldBytes(2 * heap.wholeObjectBytesMax());
        this.file = new RandomAccessFile(pack.toFile(), "rw");
        setAllowThin(false);
        setObjectChecking(false);
        setCheckEofAfterPackFooter(true);
    }

    /// Both files are complete and on the disk when this returns, and gone when it fails.
    void store(IntakeWatch watch) throws IOException {
        boolean stored = false;
        try (file) {
            parseAll(watch);
            file.getFD().sync();
            writeIndex();
            stored = true;
        } finally {
            heap.giveBack();
            if (!stored) {
                Files.deleteIfExists(pack);
                Files.deleteIfExists(index);
            }
        }
    }

    /// What JGit says about a bad pack is told from what goes wrong on our side.
    private void parseAll(IntakeWatch watch) throws IOException {
        try {
            parse(watch, watch.afterReceiving(() -> beginResolving(watch)));
        } catch (CorruptObjectException | MissingObjectException | EOFException e) {
            throw new WireException("the pack is malformed", e);
        } catch (IOException e) {
            if (e.getClass() == IOException.class && !watch.isCancelled()) {
                throw new WireException("the pack is malformed", e);
            }
            throw e;
        }
    }

    /// Deltas are resolved in memory, whatever they are deltas of, so one pack at a time is.
    private void beginResolving(IntakeWatch watch) {
        if (!heap.resolve()) {
            watch.stop();
        }
        resolving = true;
        setMaxObjectSizeLimit(heap.wholeObjectBytesMax());
    }

    private void writeIndex() throws IOException {
        try (RandomAccessFile out = new RandomAccessFile(index.toFile(), "rw");
                OutputStream buffered =
                        new BufferedOutputStream(Channels.newOutputStream(out.getChannel()))) {
            BasePackIndexWriter.createVersion(buffered, INDEX_VERSION)
                    .write(getSortedObjectList(null), trailer);
            buffered.flush();
            out.getFD().sync();
        }
    }

    @Override
    protected void onPackHeader(long objectCount) throws IOException {
        heap.take(objectCount);
    }

    @Override
    protected void onBeginWholeObject(long position, int type, long inflatedSize)
            throws IOException {
        if (type != Constants.OBJ_BLOB) {
            requireBearable(inflatedSize);
        }
        crc.reset();
    }

    @Override
    protected void onBeginOfsDelta(long position, long basePosition, long inflatedSize)
            throws IOException {
        requireBearable(inflatedSize);
        crc.reset();
    }

    @Override
    protected void onBeginRefDelta(long position, AnyObjectId base, long inflatedSize)
            throws IOException {
        requireBearable(inflatedSize);
        crc.reset();
    }

    private void requireBearable(long inflatedSize) throws OvergrownException {
        if (inflatedSize > heap.wholeObjectBytesMax()) {
            throw new OvergrownException(
                    "an object has more than " + heap.wholeObjectBytesMax() + " bytes");
        }
    }

    @Override
    protected void onEndWholeObject(PackedObjectInfo info) {
        info.setCRC((int) crc.getValue());
    }

    @Override
    protected UnresolvedDelta onEndDelta() {
        UnresolvedDelta delta = new UnresolvedDelta();
        delta.setCRC((int) crc.getValue());
        return delta;
    }

    @Override
    protected void onObjectHeader(Source source, byte[] raw, int position, int length) {
        crc.update(raw, position, length);
    }

    @Override
    protected void onObjectData(Source source, byte[] raw, int position, int length) {
        crc.update(raw, position, length);
    }

    @Override
    protected void onInflatedObjectData(PackedObjectInfo object, int type, byte[] data)
            throws IOException {
        held.add(data);
    }

    @Override
    protected void onStoreStream(byte[] raw, int position, int length) throws IOException {
        try {
            file.write(raw, position, length);
        } catch (IOException e) {
            throw new LimitException("the disk does not take the copy", e);
        }
    }

    @Override
    protected void onPackFooter(byte[] hash) throws IOException {
        trailer = hash.clone();
        file.write(trailer);
    }

    @Override
    protected ObjectTypeAndSize seekDatabase(PackedObjectInfo object, ObjectTypeAndSize info)
            throws IOException {
        return seek(object.getOffset(), info);
    }

    @Override
    protected ObjectTypeAndSize seekDatabase(UnresolvedDelta delta, ObjectTypeAndSize info)
            throws IOException {
        return seek(delta.getOffset(), info);
    }

    private ObjectTypeAndSize seek(long position, ObjectTypeAndSize info) throws IOException {
        file.seek(position);
        crc.reset();
        ObjectTypeAndSize found = readObjectHeader(info);
        if (resolving) {
            requireBearable(found.size);
        }
        return found;
    }

    @Override
    protected int readDatabase(byte[] target, int position, int count) throws IOException {
        return file.read(target, position, count);
    }

    @Override
    protected boolean checkCRC(int old) {
        return old == (int) crc.getValue();
    }

    @Override
    protected boolean onAppendBase(int type, byte[] data, PackedObjectInfo info)
            throws IOException {
        throw new WireException("a pack holds the bases of its deltas");
    }

    @Override
    protected void onEndThinPack() {}

    /// Without the comparison of objects that are there already; for packs of our own.
    PackIntake trusted() {
        setCheckObjectCollisions(false);
        return this;
    }
}
