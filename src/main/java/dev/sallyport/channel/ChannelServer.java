package dev.sallyport.channel;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.PeerCredentials;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The warden's end of the channel to one gateway process. It connects its record lanes first, then
/// the two other sockets, each once; then all are closed and removed, so that there is nothing left
/// to connect to.
public final class ChannelServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ChannelServer.class.getName());

    /// More than a gateway has event loops, unless there are many processors.
    private static final int LANES_MIN = 64;

    private final EventLoop loop;
    private final Path directory;
    private final WardenListener listener;
    private final CompletableFuture<Expected> expected = new CompletableFuture<>();
    private final Map<String, Channel> listening = new HashMap<>();
    private final Map<String, EpollDomainSocketChannel> accepted = new HashMap<>();
    private final List<Channel> lanes = new ArrayList<>();
    private final int lanesMax = lanesMax();
    private @Nullable Channel messages;
    private @Nullable DescriptorOutbox outbox;
    private long nextDescriptor;
    private boolean ended;

    private record Expected(long pid, int uid) {}

    private ChannelServer(EventLoop loop, Path directory, WardenListener listener) {
        this.loop = loop;
        this.directory = directory;
        this.listener = listener;
    }

    /// Opens the sockets in a directory that only we can write to.
    ///
    /// @param owner uid of the gateway when it is not ours; the sockets are given to it, else it
    ///   could not connect
    public static ChannelServer open(
            EventLoop loop, Path directory, OptionalInt owner, WardenListener listener)
            throws IOException {
        ChannelServer server = new ChannelServer(loop, directory, listener);
        try {
            server.bind(SocketNames.MESSAGES, owner);
            server.bind(SocketNames.DESCRIPTORS, owner);
            server.bind(SocketNames.RECORDS, owner);
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
        return server;
    }

    private void bind(String name, OptionalInt owner) throws IOException {
        Channel channel =
                new ServerBootstrap()
                        .group(loop)
                        .channel(EpollServerDomainSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, 4)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childHandler(new Admission(name))
                        .bind(SocketNames.address(directory, name))
                        .syncUninterruptibly()
                        .channel();
        listening.put(name, channel);
        Path socket = directory.resolve(name);
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        if (owner.isPresent()) {
            Files.setAttribute(socket, "unix:uid", owner.getAsInt());
        }
    }

    /// Says which process may connect. Connections wait until this is known.
    public void expect(long pid, int uid) {
        expected.complete(new Expected(pid, uid));
    }

    /// Sends in the order of calls. Any thread; what is sent after the end is dropped.
    public void send(Message message) {
        loop.execute(() -> write(message));
    }

    /// Sends the descriptors and then the message, with the right number in it, and wipes its
    /// secrets. Our own copies of the descriptors stay open.
    public void attach(Message.Attach message, List<FileDescriptor> listeners) {
        requireAll(message, listeners);
        loop.execute(
                () -> {
                    writeWith(message, listeners);
                    message.wipe();
                });
    }

    /// Sends the descriptors and then the message, likewise.
    public void sendWith(Message.Carrying message, List<FileDescriptor> descriptors) {
        requireAll(message, descriptors);
        loop.execute(() -> writeWith(message, descriptors));
    }

    /// The same for what the gateway asked for: our copies are closed once they have left, and at
    /// once when the gateway does not take what it has asked for before.
    public void supply(Message.Carrying message, List<FileDescriptor> descriptors) {
        supply(message, descriptors, () -> {});
    }

    /// The same, but the channel ends when the gateway does not take them: it would wait for the
    /// answer for ever.
    public void answer(Message.Carrying message, List<FileDescriptor> descriptors) {
        supply(message, descriptors, () -> end("the gateway does not take what it asks for"));
    }

    private void supply(
            Message.Carrying message, List<FileDescriptor> descriptors, Runnable backlogged) {
        requireAll(message, descriptors);
        loop.execute(
                () -> {
                    DescriptorOutbox open = outbox;
                    if (open == null || open.isBacklogged()) {
                        closeAll(descriptors);
                        backlogged.run();
                    } else {
                        writeWith(message, descriptors);
                        open.then(() -> closeAll(descriptors));
                    }
                });
    }

    private static void requireAll(Message.Carrying message, List<FileDescriptor> descriptors) {
        if (descriptors.size() != message.descriptors()) {
            throw new IllegalArgumentException("one descriptor per socket");
        }
    }

    /// Closes descriptors once everything before has left; earlier, their numbers could already
    /// mean other files when they are sent.
    public void release(List<FileDescriptor> listeners) {
        loop.execute(
                () -> {
                    DescriptorOutbox open = outbox;
                    if (open == null) {
                        closeAll(listeners);
                    } else {
                        open.then(() -> closeAll(listeners));
                    }
                });
    }

    private static void closeAll(List<FileDescriptor> listeners) {
        for (FileDescriptor descriptor : listeners) {
            try {
                descriptor.close();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "closing a listener", e);
            }
        }
    }

    private void writeWith(Message.Carrying message, List<FileDescriptor> descriptors) {
        DescriptorOutbox open = outbox;
        if (open == null) {
            return;
        }
        descriptors.forEach(open::send);
        write(message.from(nextDescriptor));
        nextDescriptor += descriptors.size();
    }

    private void write(Message message) {
        Channel channel = messages;
        if (channel != null) {
            channel.writeAndFlush(message).addListener(this::endUnlessWritten);
        }
    }

    private void endUnlessWritten(Future<?> written) {
        if (!written.isSuccess()) {
            end("the gateway could not be written to: " + written.cause());
        }
    }

    /// Ends the channel, which ends the gateway. Removes the sockets. The listener is told.
    @Override
    public void close() {
        loop.execute(() -> end("we closed the channel"));
    }

    private void accept(String name, EpollDomainSocketChannel channel, Expected peer) {
        if (ended || messages != null || !isFrom(channel, peer) || !hasRoom(name)) {
            var _ = channel.close();
            return;
        }
        if (name.equals(SocketNames.RECORDS)) {
            lanes.add(channel);
            RecordDesk.open(channel, listener, this::end);
            return;
        }
        accepted.put(name, channel);
        if (accepted.size() == 2) {
            stopListening();
            begin();
        }
    }

    /// Each may hold a batch that is not complete, in memory that the whole warden shares.
    static int lanesMax() {
        return Math.max(LANES_MIN, 2 * Runtime.getRuntime().availableProcessors());
    }

    private boolean hasRoom(String name) {
        return name.equals(SocketNames.RECORDS)
                ? lanes.size() < lanesMax
                : !accepted.containsKey(name);
    }

    private static boolean isFrom(EpollDomainSocketChannel channel, Expected expected) {
        try {
            PeerCredentials peer = channel.peerCredentials();
            return peer.pid() == expected.pid() && peer.uid() == expected.uid();
        } catch (IOException e) {
            return false;
        }
    }

    private void begin() {
        messages = accepted.get(SocketNames.MESSAGES);
        EpollDomainSocketChannel descriptors = accepted.get(SocketNames.DESCRIPTORS);
        if (messages == null || descriptors == null) {
            throw new IllegalStateException("both sockets are accepted");
        }
        MessagePipeline.install(messages, Message.Direction.TO_WARDEN, this::receive, this::end);
        outbox =
                new DescriptorOutbox(
                        loop, descriptors, e -> end("the gateway takes no descriptors: " + e));
        descriptors.pipeline().addLast(new Silence());
        listener.connected();
        messages.config().setAutoRead(true);
        descriptors.config().setAutoRead(true);
        if (!messages.isActive() || !descriptors.isActive()) {
            end("the gateway closed the connection");
        }
    }

    private void receive(Message message) {
        if (!ended) {
            listener.received(message);
        }
    }

    private void stopListening() {
        listening.forEach(
                (name, channel) -> {
                    var _ = channel.close();
                    remove(directory.resolve(name));
                });
    }

    private static void remove(Path socket) {
        try {
            Files.deleteIfExists(socket);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a channel socket stays behind", e);
        }
    }

    private void end(String reason) {
        if (ended) {
            return;
        }
        ended = true;
        stopListening();
        boolean began = messages != null;
        DescriptorOutbox open = outbox;
        outbox = null;
        if (open != null) {
            open.close();
        }
        lanes.addAll(accepted.values());
        for (Channel channel : lanes) {
            var _ = channel.close();
        }
        messages = null;
        if (began) {
            listener.ended(reason);
        }
    }

    /// Lets in a process that connects only when it is the expected one.
    private final class Admission extends ChannelInitializer<EpollDomainSocketChannel> {
        private final String name;

        Admission(String name) {
            this.name = name;
        }

        @Override
        protected void initChannel(EpollDomainSocketChannel channel) {
            var _ = expected.thenAccept(peer -> loop.execute(() -> accept(name, channel, peer)));
        }
    }

    /// Nothing ever comes in on the descriptor socket; its end is the end of the channel.
    private final class Silence extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            io.netty.util.ReferenceCountUtil.release(message);
            end("the gateway wrote to the descriptor socket");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            end(String.valueOf(cause.getMessage()));
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end("the gateway closed the descriptor socket");
        }
    }
}
