package dev.sallyport.carry;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;

/// What has arrived on a stream before somebody wanted to read it, no more than its window. Small
/// frames are copied together: each costs us a hundred times its size, and keeps the whole buffer
/// that it came in.
final class UnreadBytes {
    private static final int CHUNK_BYTES_MAX = 64 * 1_024;
    private static final int CHUNK_BYTES_MIN = 2_048;

    private final Deque<ByteBuf> chunks = new ArrayDeque<>();

    boolean isEmpty() {
        return chunks.isEmpty();
    }

    int buffers() {
        return chunks.size();
    }

    int bytes() {
        return chunks.stream().mapToInt(ByteBuf::readableBytes).sum();
    }

    /// Takes ownership.
    void add(ByteBufAllocator allocator, ByteBuf bytes) {
        ByteBuf last = chunks.peekLast();
        try {
            if (last == null || last.readableBytes() + bytes.readableBytes() > CHUNK_BYTES_MAX) {
                last = allocator.buffer(Math.max(CHUNK_BYTES_MIN, bytes.readableBytes()));
                chunks.add(last);
            }
            last.writeBytes(bytes);
        } finally {
            bytes.release();
        }
    }

    /// The first of them; ownership passes.
    ByteBuf remove() {
        return chunks.remove();
    }

    void release() {
        chunks.forEach(ByteBuf::release);
        chunks.clear();
    }
}
