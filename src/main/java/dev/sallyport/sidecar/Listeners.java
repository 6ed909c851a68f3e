package dev.sallyport.sidecar;

import dev.sallyport.carry.CarryClient;
import dev.sallyport.carry.Dialler;
import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.FileDescriptor;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The sockets inside the sandbox. How many connections it may have is the gateway's to say; here
/// is only a bound for the memory of this process, above which its own backlog waits.
final class Listeners {
    private static final System.Logger LOG = System.getLogger(Listeners.class.getName());
    private static final int CONNECTIONS_MAX = 1_024;
    private static final int QUESTIONS_MAX = 64;
    private static final int DATAGRAM_BYTES_MAX = 1_232;

    private final EventLoopGroup loop;
    private final CarryClient client;
    private final Map<Message.Outward, Channel> outward = new HashMap<>();
    private int open;

    Listeners(EventLoopGroup loop, CarryClient client) {
        this.loop = loop;
        this.client = client;
    }

    /// Takes ownership of the descriptor.
    void listen(ListenerKind kind, FileDescriptor descriptor) {
        switch (kind.transport()) {
            case TCP -> {
                var _ = accept(descriptor);
            }
            case UDP -> {
                var _ = receive(descriptor);
            }
        }
    }

    private Channel accept(FileDescriptor descriptor) {
        return new ServerBootstrap()
                .group(loop)
                .channelFactory(() -> new EpollServerSocketChannel(descriptor.intValue()))
                .handler(new Bound())
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                client.carry(channel);
                            }
                        })
                .register()
                .channel();
    }

    private ChannelFuture receive(FileDescriptor descriptor) {
        return new Bootstrap()
                .group(loop)
                .channelFactory(() -> new EpollDatagramChannel(descriptor.intValue()))
                .option(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new FixedRecvByteBufAllocator(DATAGRAM_BYTES_MAX))
                .handler(new Questions())
                .register();
    }

    /// From now on there are these, besides the doors: what it had and is not named is closed.
    void change(List<Message.Outward> wanted, List<FileDescriptor> descriptors) {
        outward.entrySet()
                .removeIf(
                        known -> {
                            boolean gone = !wanted.contains(known.getKey());
                            if (gone) {
                                var _ = known.getValue().close();
                            }
                            return gone;
                        });
        for (int i = 0; i < wanted.size(); i++) {
            FileDescriptor descriptor = descriptors.get(i);
            if (outward.containsKey(wanted.get(i))) {
                Dialler.discard(descriptor);
            } else {
                outward.put(wanted.get(i), accept(descriptor));
            }
        }
    }

    /// Stops accepting while there are enough.
    private final class Bound extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            Channel child = (Channel) message;
            open++;
            ctx.channel().config().setAutoRead(open < CONNECTIONS_MAX);
            child.closeFuture()
                    .addListener(
                            _ -> {
                                open--;
                                ctx.channel().config().setAutoRead(true);
                            });
            ctx.fireChannelRead(child);
        }
    }

    /// One answer per datagram. While many wait for theirs, nothing more is read.
    private final class Questions extends SimpleChannelInboundHandler<DatagramPacket> {
        private int waiting;

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
            waiting++;
            ctx.channel().config().setAutoRead(waiting < QUESTIONS_MAX);
            InetSocketAddress asker = packet.sender();
            client.ask(packet.content().retain(), answer -> answered(ctx, asker, answer));
        }

        private void answered(
                ChannelHandlerContext ctx, InetSocketAddress asker, Optional<ByteBuf> answer) {
            waiting--;
            ctx.channel().config().setAutoRead(true);
            answer.ifPresent(
                    reply -> {
                        var _ = ctx.writeAndFlush(new DatagramPacket(reply, asker));
                    });
        }

        /// One datagram that cannot be sent or read says nothing about the next.
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            LOG.log(Level.DEBUG, "a datagram failed", cause);
        }
    }
}
