package dev.sallyport.channel;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/// The gateway's end of the channel. It speaks to its parent process and to nobody else.
///
/// Messages and descriptors travel on two sockets; a [Message.Carrying] one is held back, and
/// everything behind it, until its descriptors are there.
public final class ChannelClient {
    /// More descriptors than any warden sends ahead of their message.
    private static final int DESCRIPTORS_WAITING_MAX = 65_536;

    private final GatewayListener listener;
    private final Queue<Message> messages = new ArrayDeque<>();
    private final Queue<FileDescriptor> descriptors = new ArrayDeque<>();
    private final EpollDomainSocketChannel descriptorChannel;
    private final EpollDomainSocketChannel messageChannel;
    private long nextDescriptor;
    private boolean ended;

    private ChannelClient(EventLoop loop, Path directory, long wardenPid, GatewayListener listener)
            throws IOException {
        this.listener = listener;
        this.descriptorChannel = connect(loop, directory, SocketNames.DESCRIPTORS, wardenPid);
        this.messageChannel = connect(loop, directory, SocketNames.MESSAGES, wardenPid);
    }

    /// Connects to both sockets and verifies that the process behind them is `wardenPid`. The
    /// listener is called from `loop`. Must not be called on `loop`. No [RecordLane] can be opened
    /// afterwards.
    public static ChannelClient connect(
            EventLoop loop, Path directory, long wardenPid, GatewayListener listener)
            throws IOException {
        ChannelClient client = new ChannelClient(loop, directory, wardenPid, listener);
        client.start();
        return client;
    }

    /// The warden of this process: its parent.
    public static long wardenPid() throws IOException {
        return ProcessHandle.current()
                .parent()
                .orElseThrow(() -> new ChannelException("the warden is gone"))
                .pid();
    }

    /// Nothing is read from it yet.
    static EpollDomainSocketChannel connect(
            EventLoop loop, Path directory, String name, long wardenPid) throws IOException {
        EpollDomainSocketChannel channel = connect(loop, directory, name);
        if (channel.peerCredentials().pid() != wardenPid) {
            var _ = channel.close();
            throw new ChannelException("the process behind the channel is not the warden");
        }
        return channel;
    }

    private static EpollDomainSocketChannel connect(EventLoop loop, Path directory, String name)
            throws IOException {
        return (EpollDomainSocketChannel)
                new Bootstrap()
                        .group(loop)
                        .channel(EpollDomainSocketChannel.class)
                        .option(EpollChannelOption.AUTO_READ, false)
                        .option(EpollChannelOption.DOMAIN_SOCKET_READ_MODE, modeOf(name))
                        .handler(new Empty())
                        .connect(SocketNames.address(directory, name))
                        .syncUninterruptibly()
                        .channel();
    }

    private static DomainSocketReadMode modeOf(String name) {
        return name.equals(SocketNames.DESCRIPTORS)
                ? DomainSocketReadMode.FILE_DESCRIPTORS
                : DomainSocketReadMode.BYTES;
    }

    private static final class Empty extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {}
    }

    private void start() {
        descriptorChannel.pipeline().addLast(new DescriptorHandler());
        MessagePipeline.install(
                messageChannel, Message.Direction.TO_GATEWAY, this::receive, this::end);
        descriptorChannel.config().setAutoRead(true);
        messageChannel.config().setAutoRead(true);
        messageChannel.eventLoop().execute(this::endIfClosedMeanwhile);
    }

    /// A channel that closed before its handlers were there told nobody.
    private void endIfClosedMeanwhile() {
        if (!messageChannel.isActive() || !descriptorChannel.isActive()) {
            end("the warden closed the connection");
        }
    }

    /// Sends in the order of calls; a failure ends the channel. Any thread.
    public void send(Message message) {
        messageChannel
                .writeAndFlush(message)
                .addListener(
                        written -> {
                            if (!written.isSuccess()) {
                                close();
                            }
                        });
    }

    /// Ends the channel; the listener is told.
    public void close() {
        var _ = messageChannel.close();
        var _ = descriptorChannel.close();
    }

    private void receive(Message message) throws ChannelException {
        messages.add(message);
        deliver();
    }

    private void deliver() throws ChannelException {
        for (Message next = messages.peek(); next != null && !ended; next = messages.peek()) {
            List<FileDescriptor> own = new ArrayList<>();
            if (next instanceof Message.Carrying carrying && carrying.descriptors() > 0) {
                if (carrying.firstDescriptor() != nextDescriptor) {
                    throw new ChannelException("descriptors are numbered without gaps");
                }
                if (descriptors.size() < carrying.descriptors()) {
                    return;
                }
                while (own.size() < carrying.descriptors()) {
                    own.add(descriptors.remove());
                }
                nextDescriptor += own.size();
            }
            messages.remove();
            listener.received(next, List.copyOf(own));
        }
    }

    private void end(String reason) {
        if (!ended) {
            ended = true;
            close();
            listener.ended(reason);
        }
    }

    private final class DescriptorHandler extends SimpleChannelInboundHandler<FileDescriptor> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FileDescriptor descriptor)
                throws ChannelException {
            if (descriptors.size() >= DESCRIPTORS_WAITING_MAX) {
                throw new ChannelException("descriptors without messages");
            }
            descriptors.add(descriptor);
            deliver();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            end(String.valueOf(cause.getMessage()));
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end("the warden closed the descriptor socket");
        }
    }
}
