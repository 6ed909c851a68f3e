package dev.sallyport.relay;

import dev.sallyport.confine.PipeRoom;
import io.netty.channel.Channel;
import io.netty.channel.FileRegion;
import io.netty.channel.epoll.Native;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.AbstractReferenceCounted;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/// Carries bytes from one socket to another inside the kernel, through a pipe, so that they are
/// never copied into this process. Who writes to the sink sees the pipe's content as a region of a
/// file: it waits in line behind what was written before, and for room in the sink's send buffer.
///
/// Belongs to one event loop. It is filled only when it is empty, so that it holds no more than one
/// filling, however slow the sink is.
final class Splice implements AutoCloseable {
    private static final int FILLING_BYTES_MAX = 512 * 1_024;

    private final Channel source;
    private final Channel sink;
    private FileDescriptor @Nullable [] pipe;
    private int heldBytes;
    private boolean closed;

    Splice(Channel source, Channel sink) {
        this.source = source;
        this.sink = sink;
    }

    boolean isEmpty() {
        return heldBytes == 0;
    }

    /// Takes what has arrived at the source and returns how many bytes that is. None may also mean
    /// that there is nothing more to come, or that there is no pipe to be had; whoever reads from
    /// the source will see.
    int fill() throws IOException {
        if (closed || heldBytes > 0 || !open()) {
            return 0;
        }
        heldBytes = move(socket(source), ends()[1], FILLING_BYTES_MAX);
        return heldBytes;
    }

    /// What was filled in, to be written to the sink once.
    FileRegion filling() {
        return new Filling(heldBytes);
    }

    /// Only what the kernel holds can stay there: a stream that is carried from another machine is
    /// copied.
    private boolean open() {
        if (!(source instanceof UnixChannel && sink instanceof UnixChannel)) {
            return false;
        }
        if (pipe == null) {
            try {
                FileDescriptor[] made = FileDescriptor.pipe();
                PipeRoom.widen(made[1].intValue(), FILLING_BYTES_MAX);
                pipe = made;
            } catch (IOException _) {
                // Too many open files. Copying works without one.
                return false;
            }
        }
        return true;
    }

    private FileDescriptor[] ends() throws IOException {
        FileDescriptor[] ends = pipe;
        if (closed || ends == null) {
            throw new IOException("the pipe of a tunnel is closed");
        }
        return ends;
    }

    private static FileDescriptor socket(Channel channel) {
        return ((UnixChannel) channel).fd();
    }

    /// A number of a closed descriptor could be another connection's by now.
    private static int move(FileDescriptor from, FileDescriptor to, int bytes) throws IOException {
        if (!from.isOpen() || !to.isOpen()) {
            return 0;
        }
        return Native.splice(from.intValue(), -1, to.intValue(), -1, bytes);
    }

    /// What is in it is lost.
    @Override
    public void close() {
        FileDescriptor[] ends = pipe;
        if (!closed && ends != null) {
            for (FileDescriptor end : ends) {
                try {
                    end.close();
                } catch (IOException _) {
                    // It is closed for us in any case.
                }
            }
        }
        closed = true;
    }

    /// The pipe's content as Netty writes it: again and again until nothing is left, whenever the
    /// sink has room.
    private final class Filling extends AbstractReferenceCounted implements FileRegion {
        private final int bytes;

        Filling(int bytes) {
            this.bytes = bytes;
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) throws IOException {
            int moved = move(ends()[0], socket(sink), heldBytes);
            heldBytes -= moved;
            return moved;
        }

        @Override
        public long position() {
            return 0;
        }

        @Override
        public long transferred() {
            return (long) bytes - heldBytes;
        }

        @Override
        @SuppressWarnings("deprecation") // Netty's old spelling of the one above
        public long transfered() {
            return transferred();
        }

        @Override
        public long count() {
            return bytes;
        }

        @Override
        public FileRegion retain() {
            super.retain();
            return this;
        }

        @Override
        public FileRegion retain(int increment) {
            super.retain(increment);
            return this;
        }

        @Override
        public FileRegion touch() {
            return this;
        }

        @Override
        public FileRegion touch(Object hint) {
            return this;
        }

        @Override
        protected void deallocate() {}
    }
}
