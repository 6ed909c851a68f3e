package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The answer to one call upstream, for a worker that reads it blocking. What waits to be read is
/// bounded: upstream is paused when the worker is slow.
///
/// A read fails with [UpstreamException] when upstream fails or the deadline passes, and with
/// [InterruptedIOException], the thread's flag set again, when the worker is interrupted. The end
/// of the stream is the end of the answer by its own framing, never a connection that was cut.
public final class AnswerStream extends InputStream {
    private static final int PAUSE_BYTES = 512 * 1024;
    private static final int RESUME_BYTES = 128 * 1024;

    private final EventLoop loop;
    private final long deadlineNanos;
    private final byte[] body;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<ByteBuf> pieces = new ArrayDeque<>();
    private long waitingBytes;
    private boolean paused;
    private boolean complete;
    private boolean closed;
    private @Nullable Failure failure;

    /// Only touched on the loop.
    private @Nullable UpstreamCall call;

    private boolean bodySent;

    private AnswerStream(EventLoop loop, long deadlineNanos, byte[] body) {
        this.loop = loop;
        this.deadlineNanos = deadlineNanos;
        this.body = body;
    }

    /// Begins the call; nothing is waited for here.
    ///
    /// @param body sent in full when the request is framed to have one
    /// @param deadlineNanos a [System#nanoTime] after which reading fails
    public static AnswerStream open(
            Client upstream,
            UpstreamRequest request,
            byte[] body,
            CredentialBook credentials,
            EventLoop loop,
            long deadlineNanos) {
        AnswerStream stream = new AnswerStream(loop, deadlineNanos, body.clone());
        stream.onLoop(() -> stream.begin(upstream, request, credentials));
        return stream;
    }

    private void begin(Client upstream, UpstreamRequest request, CredentialBook credentials) {
        if (isClosed()) {
            return;
        }
        call = upstream.call(request, credentials, loop, new Events()).orElse(null);
        if (call == null) {
            fail(Refusal.UPSTREAM_UNREACHABLE);
        }
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException _) {
            fail(Refusal.INTERNAL);
        }
    }

    /// What upstream does, told on the loop.
    private final class Events implements UpstreamEvents {
        @Override
        public void writable(boolean writable) {
            if (writable && !bodySent && call != null) {
                bodySent = true;
                call.write(Unpooled.wrappedBuffer(body));
                call.end(Map.of());
            }
        }

        @Override
        public void begun(AnswerHead head) {}

        @Override
        public void piece(ByteBuf piece) {
            if (!offer(piece) && call != null) {
                call.reading(false);
            }
        }

        @Override
        public void complete() {
            finish(() -> complete = true);
        }

        @Override
        public void failed(Failure reason) {
            finish(() -> failure = reason);
        }
    }

    /// Takes ownership; whether more is wanted now.
    private boolean offer(ByteBuf piece) {
        lock.lock();
        try {
            if (closed) {
                piece.release();
                return true;
            }
            pieces.add(piece);
            waitingBytes += piece.readableBytes();
            paused |= waitingBytes >= PAUSE_BYTES;
            changed.signalAll();
            return !paused;
        } finally {
            lock.unlock();
        }
    }

    private void fail(Refusal reason) {
        finish(() -> failure = Failure.of(reason));
    }

    private void finish(Runnable outcome) {
        lock.lock();
        try {
            if (!complete && failure == null) {
                outcome.run();
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        lock.lock();
        try {
            awaitPiece();
            ByteBuf piece = pieces.peek();
            return piece == null ? -1 : take(piece, target, offset, length);
        } finally {
            lock.unlock();
        }
    }

    /// Returns when there is a piece or will be none.
    private void awaitPiece() throws IOException {
        while (pieces.isEmpty() && !complete) {
            if (closed) {
                throw new IOException("the answer was closed");
            }
            if (failure != null) {
                throw new UpstreamException(failure);
            }
            long remaining = deadlineNanos - System.nanoTime();
            if (remaining <= 0) {
                throw new UpstreamException(Refusal.UPSTREAM_TIMEOUT);
            }
            try {
                var _ = changed.await(remaining, TimeUnit.NANOSECONDS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for upstream");
            }
        }
        if (deadlineNanos - System.nanoTime() <= 0) {
            throw new UpstreamException(Refusal.UPSTREAM_TIMEOUT);
        }
    }

    private int take(ByteBuf piece, byte[] target, int offset, int length) {
        int taken = Math.min(length, piece.readableBytes());
        piece.readBytes(target, offset, taken);
        waitingBytes -= taken;
        if (!piece.isReadable()) {
            pieces.remove().release();
        }
        if (paused && waitingBytes <= RESUME_BYTES) {
            paused = false;
            onLoop(this::resume);
        }
        return taken;
    }

    private void resume() {
        if (call != null) {
            call.reading(true);
        }
    }

    /// Gives up what has not been read and ends the call, from any thread.
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            pieces.forEach(ByteBuf::release);
            pieces.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        onLoop(
                () -> {
                    if (call != null) {
                        call.close();
                    }
                });
    }
}
