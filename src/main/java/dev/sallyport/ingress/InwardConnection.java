package dev.sallyport.ingress;

import dev.sallyport.http.Spare;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.EarlyBytes;
import dev.sallyport.relay.Flow;
import dev.sallyport.relay.Tunnel;
import dev.sallyport.session.PublishedPort;
import dev.sallyport.upstream.ReadTurns;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.unix.FileDescriptor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A connection to a published port of the host, on its way to the server inside. Nothing is read
/// from it before that one is connected, and nothing of what passes is looked at.
///
/// The socket that is connected was made inside the sandbox, so its loopback addresses are the
/// sandbox's own: there is nothing else that it could reach.
final class InwardConnection extends ChannelInboundHandlerAdapter implements Tunnel.Grounds {
    /// A reload channel of a development server may say nothing for long.
    private static final int SECONDS_MAX = 7 * 86_400;

    private static final int CONNECT_MILLIS_MAX = 10_000;

    /// For each direction. With one read more, and twice that in memory, all connections that a
    /// sidecar has at once fit into what it has.
    private static final WriteBufferWaterMark WAITING_BYTES =
            new WriteBufferWaterMark(8 * 1_024, 16 * 1_024);

    /// Where a server inside may listen, in the order in which they are tried.
    private static final List<InetAddress> LOOPBACK =
            List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));

    private static final byte[] NEVER = InetAddress.ofLiteral(PublishedPort.NEVER).getAddress();

    private final SocketPool pool;
    private final PortUse use;
    private final EarlyBytes early = new EarlyBytes(Unpooled.EMPTY_BUFFER);

    InwardConnection(SocketPool pool, PortUse use) {
        this.pool = pool;
        this.use = use;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (isForThePage(ctx.channel())) {
            var _ = ctx.close();
            return;
        }
        Spare.clear(ctx.channel());
        prepare(ctx.channel());
        use.connected();
        tryNext(ctx.channel(), LOOPBACK.iterator());
    }

    /// A port on all addresses is on this one too. For IPv6 it is the end of the address.
    private static boolean isForThePage(Channel client) {
        if (!(client.localAddress() instanceof InetSocketAddress place)) {
            return true;
        }
        byte[] own = place.getAddress().getAddress();
        return Arrays.equals(NEVER, Arrays.copyOfRange(own, own.length - NEVER.length, own.length));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        early.add(ctx.alloc(), (ByteBuf) message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            early.end();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        early.release();
    }

    /// A socket that was refused once is of no use for an address of the other family.
    private void tryNext(Channel client, Iterator<InetAddress> addresses) {
        if (!addresses.hasNext() || !client.isActive()) {
            var _ = client.close();
            return;
        }
        EventLoop loop = client.eventLoop();
        var _ =
                pool.take(loop)
                        .whenComplete(
                                (socket, _) -> loop.execute(() -> dial(client, socket, addresses)));
    }

    private void dial(
            Channel client, @Nullable FileDescriptor socket, Iterator<InetAddress> addresses) {
        if (socket == null) {
            var _ = client.close();
            return;
        }
        // Connected in the same turn: an event loop takes a socket that is not for a broken one.
        EpollSocketChannel inside = new EpollSocketChannel(socket.intValue());
        inside.config().setConnectTimeoutMillis(CONNECT_MILLIS_MAX);
        prepare(inside);
        inside.pipeline().addLast("turns", new ReadTurns(use.session()));
        var _ = client.eventLoop().register(inside);
        inside.connect(new InetSocketAddress(addresses.next(), use.insidePort()))
                .addListener(
                        connected -> {
                            if (connected.isSuccess() && client.isActive()) {
                                open(client, inside);
                            } else {
                                var _ = inside.close();
                                tryNext(client, addresses);
                            }
                        });
    }

    private static void prepare(Channel channel) {
        channel.config().setOption(ChannelOption.AUTO_READ, false);
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        channel.config().setWriteBufferWaterMark(WAITING_BYTES);
        channel.config()
                .setRecvByteBufAllocator(
                        new AdaptiveRecvByteBufAllocator(512, 4_096, Flow.READ_BYTES));
    }

    private void open(Channel client, Channel inside) {
        client.pipeline().remove(this);
        Tunnel tunnel =
                new Tunnel(
                        new Tunnel.Terms(SECONDS_MAX, SECONDS_MAX, use.account()),
                        this,
                        inside,
                        client);
        tunnel.upward().passUnseen();
        tunnel.downward().passUnseen();
        early.passOn(client, tunnel.downward(), inside);
        tunnel.upward().open();
        tunnel.downward().open();
    }

    /// The person published it, whatever the policy says about the sandbox's own wishes.
    @Override
    public Optional<Refusal> objection() {
        return Optional.empty();
    }

    @Override
    public ByteBuf clear(ByteBuf bytes) {
        return bytes;
    }

    @Override
    public void cut(Refusal reason) {}

    @Override
    public void ended(String why, long seconds) {}

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var _ = ctx.close();
    }
}
