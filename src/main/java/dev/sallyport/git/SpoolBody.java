package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The body of a judged push as it goes upstream: the command list as we wrote it, then the pack
/// that was judged, byte for byte. It is read ahead, a little, off the event loop.
final class SpoolBody implements BodySource {
    private static final int PIECE_BYTES = 128 * 1024;
    private static final int PIECES_AHEAD_MAX = 4;

    private final Path pack;
    private final long bytes;
    private final EventLoop loop;
    private final Deque<ByteBuf> ready = new ArrayDeque<>();
    private Runnable wake = () -> {};
    private long asked;
    private long given;
    private boolean reading;
    private boolean failed;
    private boolean released;

    /// @param list the serialised commands; taken over
    SpoolBody(ByteBuf list, Path pack, long bytes, EventLoop loop) {
        this.pack = pack;
        this.bytes = bytes;
        this.loop = loop;
        ready.add(list);
    }

    /// Called on the event loop when there is something to poll again.
    void onMore(Runnable action) {
        wake = action;
        readAhead();
    }

    @Override
    public void offer(ByteBuf piece) throws RefusedException {
        piece.release();
        throw new RefusedException(Refusal.INTERNAL, "the pack is complete");
    }

    @Override
    public void finish() {}

    @Override
    public @Nullable ByteBuf poll() throws RefusedException {
        if (failed) {
            throw new RefusedException(Refusal.INTERNAL, "the pack cannot be read");
        }
        ByteBuf next = ready.poll();
        readAhead();
        return next;
    }

    @Override
    public boolean isDone() {
        return ready.isEmpty() && given == bytes && !failed;
    }

    private void readAhead() {
        if (reading || released || asked == bytes || ready.size() >= PIECES_AHEAD_MAX) {
            return;
        }
        reading = true;
        long from = asked;
        int length = (int) Math.min(PIECE_BYTES, bytes - from);
        asked += length;
        var _ =
                CompletableFuture.supplyAsync(
                                () -> read(from, length),
                                command -> Thread.startVirtualThread(command))
                        .whenComplete((piece, _) -> loop.execute(() -> arrived(piece)));
    }

    private ByteBuf read(long from, int length) {
        ByteBuf piece = PooledByteBufAllocator.DEFAULT.directBuffer(length);
        try (FileChannel file = FileChannel.open(pack, StandardOpenOption.READ)) {
            while (piece.readableBytes() < length) {
                long at = from + piece.readableBytes();
                if (piece.writeBytes(file, at, length - piece.readableBytes()) < 0) {
                    throw new IOException("the pack became shorter");
                }
            }
            return piece;
        } catch (IOException e) {
            piece.release();
            throw new UncheckedIOException(e);
        }
    }

    private void arrived(@Nullable ByteBuf piece) {
        reading = false;
        if (released) {
            if (piece != null) {
                piece.release();
            }
            return;
        }
        if (piece == null) {
            failed = true;
        } else {
            given += piece.readableBytes();
            ready.add(piece);
            readAhead();
        }
        wake.run();
    }

    @Override
    public void release() {
        released = true;
        ready.forEach(ByteBuf::release);
        ready.clear();
    }
}
