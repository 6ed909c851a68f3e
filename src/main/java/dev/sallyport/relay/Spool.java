package dev.sallyport.relay;

import dev.sallyport.config.DiskFullException;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.upstream.Company;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A body that the sandbox sends, on disk until it is judged, in a directory that exists as long as
/// its request does. Memory holds only what waits to be written: the sandbox is paused while that
/// is much.
///
/// Used on the connection's event loop; writing happens elsewhere.
public final class Spool {
    private static final System.Logger LOG = System.getLogger(Spool.class.getName());

    /// The sandbox is paused above this.
    private static final int WAITING_BYTES_MAX = 1 << 20;

    /// What is written without a rest.
    private static final int RUSH_BYTES = 1 << 20;

    /// In company, between two writes, each of about [#WAITING_BYTES_MAX]: a large body that is
    /// taken as fast as it comes keeps two processors busy, and is read far more slowly.
    private static final int REST_MILLIS = 10;

    /// Told on the event loop.
    public interface Events {
        /// Everything so far is on disk, and more may come.
        void drained();

        /// The body is complete on disk.
        void spooled();

        /// The sandbox has sent all of it, but the disk did not take it.
        void failed(Refusal reason);
    }

    private final Path directory;
    private final SpoolRoom room;
    private final SessionId session;
    private final BooleanSupplier alone;
    private final EventLoop loop;
    private final Events events;
    private final Deque<ByteBuf> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private long bytes;
    private volatile long written;
    private boolean writing;
    private boolean finished;
    private @Nullable Refusal failure;
    private boolean closed;

    /// Touches nothing yet.
    ///
    /// @param directory of this request alone; made when it is needed and removed by [#close]
    public Spool(Path directory, SpoolRoom room, SessionId session, EventLoop loop, Events events) {
        this(directory, room, session, () -> Company.ofGateway().isAlone(session), loop, events);
    }

    Spool(
            Path directory,
            SpoolRoom room,
            SessionId session,
            BooleanSupplier alone,
            EventLoop loop,
            Events events) {
        this.directory = directory;
        this.room = room;
        this.session = session;
        this.alone = alone;
        this.loop = loop;
        this.events = events;
    }

    public Path file() {
        return directory.resolve("body");
    }

    public long bytes() {
        return bytes;
    }

    /// How much of it is on disk and stays as it is. From any thread.
    public long written() {
        return written;
    }

    /// Whether nobody else wants the gateway. From any thread.
    public boolean isAlone() {
        return alone.getAsBoolean();
    }

    public boolean isFull() {
        return waitingBytes > WAITING_BYTES_MAX;
    }

    /// Takes ownership.
    public void append(ByteBuf piece) throws RefusedException {
        int length = piece.readableBytes();
        if (closed || !room.take(session, length)) {
            piece.release();
            throw new RefusedException(Refusal.GATEWAY_BUSY, "there is no room for another body");
        }
        bytes += length;
        if (failure != null) {
            piece.release();
        } else {
            waitingBytes += length;
            waiting.add(piece);
        }
        write();
    }

    public void finish() {
        finished = true;
        write();
    }

    private void write() {
        if (writing || closed) {
            return;
        }
        if (waiting.isEmpty()) {
            if (finished) {
                loop.execute(this::spooled);
            }
            return;
        }
        writing = true;
        List<ByteBuf> batch = new ArrayList<>(waiting);
        waiting.clear();
        var _ =
                CompletableFuture.runAsync(
                                () -> write(batch), command -> Thread.startVirtualThread(command))
                        .whenComplete((_, problem) -> loop.execute(() -> written(problem)));
    }

    private void write(List<ByteBuf> batch) {
        try {
            Files.createDirectories(directory);
            append(batch);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "a body cannot be written", e);
            throw new UncheckedIOException(e);
        } finally {
            batch.forEach(ByteBuf::release);
        }
    }

    private void append(List<ByteBuf> batch) throws IOException {
        try (FileChannel file =
                FileChannel.open(file(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (ByteBuf piece : batch) {
                while (piece.isReadable()) {
                    piece.readBytes(file, piece.readableBytes());
                }
            }
            written = file.size();
        }
    }

    private void written(@Nullable Throwable problem) {
        if (problem != null && !closed) {
            giveUp(problem);
        }
        if (written > RUSH_BYTES && !closed && !isAlone()) {
            var _ = loop.schedule(this::goOn, REST_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            goOn();
        }
    }

    private void goOn() {
        writing = false;
        if (closed) {
            remove();
        } else {
            waitingBytes = waiting.stream().mapToLong(ByteBuf::readableBytes).sum();
            write();
            if (!finished && !isFull()) {
                events.drained();
            }
        }
    }

    /// The rest is taken in and dropped: git reads why only after it has sent everything.
    private void giveUp(Throwable problem) {
        boolean full = DiskFullException.isCause(problem, directory);
        failure = full ? Refusal.DISK_FULL : Refusal.INTERNAL;
        waiting.forEach(ByteBuf::release);
        waiting.clear();
    }

    private void spooled() {
        if (closed) {
            return;
        }
        if (failure == null) {
            events.spooled();
        } else {
            events.failed(failure);
        }
    }

    /// Ends it and removes what is on disk. Whoever reads the file must have stopped.
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        waiting.forEach(ByteBuf::release);
        waiting.clear();
        if (!writing) {
            remove();
        }
    }

    private void remove() {
        Thread.startVirtualThread(
                () -> {
                    removeTree(directory);
                    room.giveBack(session, bytes);
                });
    }

    /// Removes a directory and what is in it, as far as that works.
    public static void removeTree(Path root) {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(root)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a spooled body stays behind", e);
        }
    }
}
