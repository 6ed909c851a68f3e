package dev.sallyport.ingress;

import io.netty.channel.EventLoop;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Sockets of one sandbox's network namespace that are not connected yet. This process cannot make
/// any: the warden does, and is asked in good time for more.
///
/// Used from all event loops. Nothing here waits.
final class SocketPool implements AutoCloseable {
    private static final int LOW = 32;
    private static final int HELD_MAX = 256;
    private static final int WAITING_MAX = 256;
    private static final int WAIT_SECONDS_MAX = 10;
    private static final int ASK_AGAIN_MILLIS = 200;

    private final Runnable ask;
    private final Deque<FileDescriptor> held = new ArrayDeque<>();
    private final Deque<CompletableFuture<FileDescriptor>> waiting = new ArrayDeque<>();
    private boolean closed;

    /// @param ask asks the warden for more; whether it hears is not known
    SocketPool(Runnable ask) {
        this.ask = ask;
    }

    /// Asks for the first ones.
    void begin() {
        if (isLow()) {
            ask.run();
        }
    }

    private synchronized boolean isLow() {
        return !closed && held.size() < LOW;
    }

    /// Takes ownership.
    synchronized void add(List<FileDescriptor> sockets) {
        for (FileDescriptor socket : sockets) {
            boolean taken = false;
            while (!taken && !waiting.isEmpty()) {
                taken = waiting.remove().complete(socket);
            }
            if (!taken && !closed && held.size() < HELD_MAX) {
                held.add(socket);
            } else if (!taken) {
                discard(socket);
            }
        }
    }

    /// One that is the caller's; fails when there is none in time.
    CompletableFuture<FileDescriptor> take(EventLoop loop) {
        Optional<FileDescriptor> ready;
        CompletableFuture<FileDescriptor> later = new CompletableFuture<>();
        synchronized (this) {
            ready = Optional.ofNullable(held.poll());
            if (ready.isEmpty() && !closed && waiting.size() < WAITING_MAX) {
                waiting.add(later);
            } else if (ready.isEmpty()) {
                later.completeExceptionally(new IOException("too many connections wait"));
            }
        }
        begin();
        if (ready.isPresent()) {
            return CompletableFuture.completedFuture(ready.get());
        }
        askAgain(loop, later);
        return later.orTimeout(WAIT_SECONDS_MAX, TimeUnit.SECONDS);
    }

    private void askAgain(EventLoop loop, CompletableFuture<FileDescriptor> later) {
        var _ =
                loop.schedule(
                        () -> {
                            if (!later.isDone()) {
                                ask.run();
                                askAgain(loop, later);
                            }
                        },
                        ASK_AGAIN_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    static void discard(FileDescriptor socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // It is closed for us in any case.
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        held.forEach(SocketPool::discard);
        held.clear();
        waiting.forEach(later -> later.completeExceptionally(new IOException("it is over")));
        waiting.clear();
    }
}
