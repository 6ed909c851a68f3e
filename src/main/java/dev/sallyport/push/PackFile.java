package dev.sallyport.push;

import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/// A pack on disk, for reading at any place. No channel, which an interruption would close.
final class PackFile implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PackFile.class.getName());
    private static final int BUFFER_BYTES = 16 << 10;

    private final RandomAccessFile file;
    private final Inflater inflater = new Inflater();
    private final byte[] buffer = new byte[BUFFER_BYTES];

    PackFile(Path pack) throws IOException {
        this.file = new RandomAccessFile(pack.toFile(), "r");
    }

    int read(byte[] into, int from, int length, long position) throws IOException {
        file.seek(position);
        return file.read(into, from, length);
    }

    /// What an entry holds that was inflated before, so that its size is true.
    byte[] inflate(long offset) throws IOException {
        int filled = Math.max(0, read(buffer, 0, BUFFER_BYTES, offset));
        EntryHead head = EntryHead.parse(buffer, 0, filled);
        byte[] content = new byte[Math.toIntExact(head.size())];
        long next = offset + filled;
        inflater.reset();
        inflater.setInput(buffer, head.length(), filled - head.length());
        int done = 0;
        while (done < content.length) {
            if (inflater.needsInput()) {
                int more = read(buffer, 0, BUFFER_BYTES, next);
                if (more <= 0) {
                    throw PushRefusedException.truncated();
                }
                next += more;
                inflater.setInput(buffer, 0, more);
            }
            done += inflateSome(content, done);
        }
        return content;
    }

    private int inflateSome(byte[] content, int done) throws IOException {
        try {
            int count = inflater.inflate(content, done, content.length - done);
            if (count == 0 && (inflater.finished() || inflater.needsDictionary())) {
                throw new IOException("the pack changed");
            }
            return count;
        } catch (DataFormatException e) {
            throw new IOException("the pack changed", e);
        }
    }

    /// The content of a whole object, for a thread of its own.
    ///
    /// @param start where its zlib stream begins
    static InputStream open(Path pack, long start) throws IOException {
        InputStream own = new FileInputStream(pack.toFile());
        own.skipNBytes(start);
        return new InflaterInputStream(new BufferedInputStream(own, 4 * BUFFER_BYTES));
    }

    @Override
    public void close() {
        inflater.end();
        try {
            file.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a file that was only read", e);
        }
    }
}
