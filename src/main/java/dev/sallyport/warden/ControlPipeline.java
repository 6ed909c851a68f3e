package dev.sallyport.warden;

import dev.sallyport.control.ApiJson;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// The handlers of a control connection. The peers are trusted, so the stock codec will do; they
/// may still be buggy, so everything is bounded.
final class ControlPipeline extends ChannelInitializer<EpollDomainSocketChannel> {
    private static final System.Logger LOG = System.getLogger(ControlPipeline.class.getName());
    private static final int CONNECTIONS_MAX = 4_096;

    /// So many more are told why they are refused; further ones are only closed.
    private static final int REFUSED_AT_ONCE_MAX = 256;

    private static final int IDLE_SECONDS_MAX = 60;
    private static final int HEAD_BYTES_MAX = 8_192;

    private final List<Operation> table;
    private final Leases leases;
    private final int ownUid;
    private final AtomicInteger connections = new AtomicInteger();

    ControlPipeline(List<Operation> table, Leases leases, int ownUid) {
        this.table = table;
        this.leases = leases;
        this.ownUid = ownUid;
    }

    @Override
    protected void initChannel(EpollDomainSocketChannel channel) throws IOException {
        Optional<Role> role = Role.of(channel.peerCredentials().uid(), ownUid);
        int open = connections.incrementAndGet();
        channel.closeFuture().addListener(_ -> connections.decrementAndGet());
        // Root must be able to end what somebody else keeps busy.
        boolean full = open > CONNECTIONS_MAX && !role.equals(Optional.of(Role.ROOT));
        if (role.isEmpty() || (full && open > CONNECTIONS_MAX + REFUSED_AT_ONCE_MAX)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "a control connection was refused: " + channel.peerCredentials());
            var _ = channel.close();
            return;
        }
        channel.pipeline()
                .addLast(new IdleStateHandler(0, 0, IDLE_SECONDS_MAX))
                .addLast(new HttpServerCodec(HEAD_BYTES_MAX, HEAD_BYTES_MAX, HEAD_BYTES_MAX))
                .addLast(new HttpObjectAggregator(ApiJson.BODY_BYTES_MAX, true))
                .addLast(
                        new ControlConnection(
                                full
                                        ? Dispatcher.full(role.get())
                                        : new Dispatcher(table, role.get()),
                                leases));
    }
}
