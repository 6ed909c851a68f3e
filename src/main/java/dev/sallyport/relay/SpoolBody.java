package dev.sallyport.relay;

import dev.sallyport.policy.Refusal;
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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A judged body as it goes upstream: what we wrote, then parts of the file that was judged, byte
/// for byte. It is read ahead, a little, off the event loop.
public final class SpoolBody implements BodySource {
    private static final int PIECE_BYTES = 128 * 1024;
    private static final int PIECES_AHEAD_MAX = 4;

    /// A part of the file, from here up to there.
    public record Part(long from, long to) {}

    private final Path file;
    private final Deque<Part> parts;
    private final EventLoop loop;
    private final Deque<ByteBuf> ready = new ArrayDeque<>();
    private Runnable wake = () -> {};
    private Runnable after = () -> {};
    private boolean reading;
    private boolean failed;
    private boolean released;

    /// @param first goes before the parts; taken over
    public SpoolBody(ByteBuf first, Path file, List<Part> parts, EventLoop loop) {
        this.file = file;
        this.parts = new ArrayDeque<>(parts);
        this.parts.removeIf(part -> part.from() == part.to());
        this.loop = loop;
        if (first.isReadable()) {
            ready.add(first);
        } else {
            first.release();
        }
    }

    /// Called on the event loop when there is something to poll again.
    public void onMore(Runnable action) {
        wake = action;
        readAhead();
    }

    /// Called once, when nobody needs the file any more.
    public void onRelease(Runnable action) {
        after = action;
    }

    @Override
    public void offer(ByteBuf piece) throws RefusedException {
        piece.release();
        throw new RefusedException(Refusal.INTERNAL, "the body is complete");
    }

    @Override
    public void finish() {}

    @Override
    public @Nullable ByteBuf poll() throws RefusedException {
        if (failed) {
            throw new RefusedException(Refusal.INTERNAL, "the body cannot be read");
        }
        ByteBuf next = ready.poll();
        readAhead();
        return next;
    }

    @Override
    public boolean isDone() {
        return ready.isEmpty() && parts.isEmpty() && !reading && !failed;
    }

    private void readAhead() {
        if (reading || released || parts.isEmpty() || ready.size() >= PIECES_AHEAD_MAX) {
            return;
        }
        reading = true;
        Part part = parts.remove();
        long from = part.from();
        int length = (int) Math.min(PIECE_BYTES, part.to() - from);
        if (from + length < part.to()) {
            parts.push(new Part(from + length, part.to()));
        }
        var _ =
                CompletableFuture.supplyAsync(
                                () -> read(from, length),
                                command -> Thread.startVirtualThread(command))
                        .whenComplete((piece, _) -> loop.execute(() -> arrived(piece)));
    }

    private ByteBuf read(long from, int length) {
        ByteBuf piece = PooledByteBufAllocator.DEFAULT.directBuffer(length);
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            while (piece.readableBytes() < length) {
                long at = from + piece.readableBytes();
                if (piece.writeBytes(in, at, length - piece.readableBytes()) < 0) {
                    throw new IOException("the file became shorter");
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
            ready.add(piece);
            readAhead();
        }
        wake.run();
    }

    @Override
    public void release() {
        if (!released) {
            released = true;
            after.run();
        }
        ready.forEach(ByteBuf::release);
        ready.clear();
    }
}
