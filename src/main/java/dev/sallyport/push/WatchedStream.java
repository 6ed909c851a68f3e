package dev.sallyport.push;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// Ends reading when the time to judge is over.
final class WatchedStream extends FilterInputStream {
    private final Deadline deadline;

    WatchedStream(InputStream in, Deadline deadline) {
        super(in);
        this.deadline = deadline;
    }

    @Override
    public int read() throws IOException {
        deadline.step();
        return super.read();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        deadline.check();
        return super.read(buffer, offset, length);
    }

    /// Its owner closes it, not its reader.
    @Override
    public void close() {}
}
