package dev.sallyport.channel;

import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Sends descriptors in order, as fast as the other end takes them. The kernel keeps a few hundred
/// on their way and no more; Netty's own queue gives the connection up then. Used on the channel's
/// event loop only.
final class DescriptorOutbox {
    private static final int RETRY_MILLIS = 2;
    private static final int BACKLOG_MAX = 256;

    private final EventLoop loop;
    private final Socket socket;
    private final Consumer<IOException> failed;
    private final Queue<Item> waiting = new ArrayDeque<>();
    private boolean retrying;
    private boolean closed;

    private sealed interface Item {
        record Sent(FileDescriptor descriptor) implements Item {}

        record Then(Runnable action) implements Item {}
    }

    /// @param failed told when no more can be sent
    DescriptorOutbox(
            EventLoop loop, EpollDomainSocketChannel channel, Consumer<IOException> failed) {
        this.loop = loop;
        this.socket = (Socket) channel.fd();
        this.failed = failed;
    }

    void send(FileDescriptor descriptor) {
        add(new Item.Sent(descriptor));
    }

    /// Whether the other end has stopped to take them, so that what it asks for by itself only
    /// fills our own table of descriptors.
    boolean isBacklogged() {
        return waiting.size() > BACKLOG_MAX;
    }

    /// Runs when everything before it has left, or will never leave.
    void then(Runnable action) {
        add(new Item.Then(action));
    }

    private void add(Item item) {
        waiting.add(item);
        if (!retrying) {
            flush();
        }
    }

    private void flush() {
        retrying = false;
        try {
            for (Item next = waiting.peek(); next != null; next = waiting.peek()) {
                if (!leave(next)) {
                    retrying = true;
                    var _ = loop.schedule(this::flush, RETRY_MILLIS, TimeUnit.MILLISECONDS);
                    return;
                }
                waiting.remove();
            }
        } catch (IOException e) {
            close();
            failed.accept(e);
        }
    }

    /// Whether it is done.
    private boolean leave(Item item) throws IOException {
        return switch (item) {
            case Item.Sent(FileDescriptor descriptor) ->
                    closed || socket.sendFd(descriptor.intValue()) > 0;
            case Item.Then(Runnable action) -> {
                action.run();
                yield true;
            }
        };
    }

    /// What waits is not sent any more.
    void close() {
        closed = true;
        flush();
    }
}
