package dev.sallyport.git;

import dev.sallyport.config.DiskFullException;
import dev.sallyport.mirror.Mirror;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.RefusedException;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The pack of one push on disk, in a directory that exists as long as the push does. Memory holds
/// only what waits to be written: the sandbox is paused while that is much.
///
/// Used on the connection's event loop; writing happens elsewhere.
final class PushSpool {
    private static final System.Logger LOG = System.getLogger(PushSpool.class.getName());

    /// The sandbox is paused above this.
    private static final int WAITING_BYTES_MAX = 1 << 20;

    /// Told on the event loop.
    interface Events {
        /// Everything so far is on disk, and more may come.
        void drained();

        /// The pack is complete on disk.
        void spooled();

        /// The sandbox has sent all of the pack, but the disk did not take it.
        void failed(Refusal reason);
    }

    private final Path directory;
    private final SpoolRoom room;
    private final SessionId session;
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
    /// @param directory of this push alone; made when it is needed and removed by [#close]
    PushSpool(Path directory, SpoolRoom room, SessionId session, EventLoop loop, Events events) {
        this.directory = directory;
        this.room = room;
        this.session = session;
        this.loop = loop;
        this.events = events;
    }

    /// Makes the quarantine, without whatever an earlier attempt left in it. Not on the event loop.
    void emptyQuarantine() throws IOException {
        removeTree(quarantine());
        Files.createDirectories(quarantine());
    }

    Path pack() {
        return directory.resolve("pack");
    }

    Path quarantine() {
        return directory.resolve("quarantine");
    }

    /// What upstream has taken joins the copy, so that the next push need not fetch it. Not on the
    /// event loop.
    void join(Mirror copy) {
        Optional<Path> pack = indexedPack();
        if (pack.isPresent()) {
            String name = pack.get().toString();
            Path index = Path.of(name.substring(0, name.lastIndexOf('.')) + ".idx");
            copy.adopt(pack.get(), index);
        }
    }

    /// The pack that the judge indexed; beside it lies its index.
    private Optional<Path> indexedPack() {
        try (Stream<Path> files = Files.list(quarantine().resolve("objects/pack"))) {
            return files.filter(file -> file.toString().endsWith(".pack")).findFirst();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "nothing was indexed", e);
            return Optional.empty();
        }
    }

    long bytes() {
        return bytes;
    }

    /// How much of the pack is on disk and stays as it is. From any thread.
    long written() {
        return written;
    }

    boolean isFull() {
        return waitingBytes > WAITING_BYTES_MAX;
    }

    /// Takes ownership.
    void append(ByteBuf piece) throws RefusedException {
        int length = piece.readableBytes();
        if (closed || !room.take(session, length)) {
            piece.release();
            throw new RefusedException(Refusal.GATEWAY_BUSY, "there is no room for another pack");
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

    void finish() {
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
            LOG.log(System.Logger.Level.ERROR, "a pack cannot be written", e);
            throw new UncheckedIOException(e);
        } finally {
            batch.forEach(ByteBuf::release);
        }
    }

    private void append(List<ByteBuf> batch) throws IOException {
        try (FileChannel file =
                FileChannel.open(pack(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (ByteBuf piece : batch) {
                while (piece.isReadable()) {
                    piece.readBytes(file, piece.readableBytes());
                }
            }
            written = file.size();
        }
    }

    private void written(@Nullable Throwable problem) {
        writing = false;
        if (closed) {
            remove();
        } else {
            if (problem != null) {
                giveUp(problem);
            }
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

    /// Ends it and removes what is on disk. Whoever reads the pack must have stopped.
    void close() {
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

    private static void removeTree(Path root) {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(root)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a spooled push stays behind", e);
        }
    }
}
