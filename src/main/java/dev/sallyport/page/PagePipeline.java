package dev.sallyport.page;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/// The handlers of a connection to the page. Not a byte is read before the kernel has said whose it
/// is; those of other accounts are closed.
final class PagePipeline extends ChannelInitializer<Channel> {
    private static final System.Logger LOG = System.getLogger(PagePipeline.class.getName());
    static final int CONNECTIONS_MAX = 64;
    private static final int IDLE_SECONDS_MAX = 60;

    /// Servers on other ports of this address share their cookies with this one.
    private static final int HEAD_BYTES_MAX = 32 << 10;

    private static final int LINE_BYTES_MAX = 4 << 10;
    static final int BODY_BYTES_MAX = 64 << 10;

    private final CompletableFuture<PageDoor> door;
    private final Desk desk;
    private final ChannelGroup connections;
    private final AtomicInteger count = new AtomicInteger();

    /// @param door there as soon as the port is known
    PagePipeline(CompletableFuture<PageDoor> door, Desk desk, ChannelGroup connections) {
        this.door = door;
        this.desk = desk;
        this.connections = connections;
    }

    @Override
    protected void initChannel(Channel channel) {
        int open = count.incrementAndGet();
        channel.closeFuture().addListener(_ -> count.decrementAndGet());
        if (open > CONNECTIONS_MAX) {
            var _ = channel.close();
            return;
        }
        connections.add(channel);
        Thread.ofVirtual().name("page owner").start(() -> admit(channel));
    }

    private void admit(Channel channel) {
        OptionalInt uid = owner(channel);
        if (uid.isEmpty() || !desk.knows(uid.getAsInt())) {
            LOG.log(System.Logger.Level.DEBUG, "a connection to the page was refused: " + uid);
            var _ = channel.close();
            return;
        }
        PageConnection connection = new PageConnection(door.join(), uid.getAsInt());
        channel.eventLoop().execute(() -> begin(channel, connection));
    }

    private static OptionalInt owner(Channel channel) {
        try {
            return channel.remoteAddress() instanceof InetSocketAddress peer
                            && channel.localAddress() instanceof InetSocketAddress own
                    ? SocketOwner.uid(peer, own)
                    : OptionalInt.empty();
        } catch (IOException | NumberFormatException e) {
            LOG.log(System.Logger.Level.WARNING, "whose a connection is cannot be known", e);
            return OptionalInt.empty();
        }
    }

    private void begin(Channel channel, PageConnection connection) {
        channel.pipeline()
                .addLast(new IdleStateHandler(0, 0, IDLE_SECONDS_MAX))
                .addLast(new HttpServerCodec(LINE_BYTES_MAX, HEAD_BYTES_MAX, LINE_BYTES_MAX))
                .addLast(new HttpServerKeepAliveHandler())
                .addLast(new HttpObjectAggregator(BODY_BYTES_MAX, true))
                .addLast(connection);
        channel.config().setAutoRead(true);
    }
}
