package dev.sallyport.push;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// The bytes of a pack from front to back, through one fixed buffer: counted, hashed, inflated.
final class PackBytes implements AutoCloseable {
    private static final int BUFFER_BYTES = 65_536;
    private static final int HASH_BYTES = 20;

    /// Takes what was inflated, piece by piece.
    interface Sink {
        void take(byte[] piece, int length);
    }

    private final InputStream in;
    private final Deadline deadline;
    private final MessageDigest digest = Digests.sha1();
    private final Inflater inflater = new Inflater();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final byte[] inflated = new byte[BUFFER_BYTES];
    private int at;
    private int hashed;
    private int filled;
    private long offsetOfBuffer;

    PackBytes(InputStream in, Deadline deadline) {
        this.in = in;
        this.deadline = deadline;
    }

    long offset() {
        return offsetOfBuffer + at;
    }

    int next() throws IOException {
        if (at == filled && !fill()) {
            throw truncated();
        }
        return buffer[at++] & 0xFF;
    }

    byte[] next(int count) throws IOException {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) next();
        }
        return bytes;
    }

    long nextInt32() throws IOException {
        return (long) next() << 24 | next() << 16 | next() << 8 | next();
    }

    /// Inflates one zlib stream that must hold exactly `size` bytes.
    void inflate(long size, Sink sink) throws IOException {
        inflater.reset();
        long total = 0;
        while (!inflater.finished()) {
            int count = inflateSome();
            total += count;
            if (total > size) {
                throw PushRefusedException.malformed("an object is longer than it says");
            }
            if (count > 0) {
                sink.take(inflated, count);
            }
        }
        if (total != size) {
            throw PushRefusedException.malformed("an object is shorter than it says");
        }
    }

    private int inflateSome() throws IOException {
        if (at == filled && !fill()) {
            throw truncated();
        }
        deadline.step();
        inflater.setInput(buffer, at, filled - at);
        try {
            int count = inflater.inflate(inflated);
            at = filled - inflater.getRemaining();
            if (inflater.needsDictionary()) {
                throw PushRefusedException.malformed("an object is not a plain zlib stream");
            }
            return count;
        } catch (DataFormatException e) {
            throw PushRefusedException.malformed("an object is not a zlib stream");
        }
    }

    /// The trailer is the hash of everything before it, and the last thing there is.
    void expectTrailer() throws IOException {
        digest.update(buffer, hashed, at - hashed);
        hashed = at;
        byte[] expected = digest.digest();
        byte[] trailer = next(HASH_BYTES);
        if (!Arrays.equals(expected, trailer)) {
            throw PushRefusedException.malformed("the pack's checksum does not match");
        }
        if (at < filled || fill()) {
            throw PushRefusedException.malformed("there are bytes after the pack");
        }
    }

    private boolean fill() throws IOException {
        digest.update(buffer, hashed, filled - hashed);
        offsetOfBuffer += filled;
        at = 0;
        hashed = 0;
        filled = Math.max(0, in.readNBytes(buffer, 0, BUFFER_BYTES));
        return filled > 0;
    }

    private static PushRefusedException truncated() {
        return PushRefusedException.malformed("the pack ends too early");
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        in.close();
    }
}
