package dev.sallyport.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/// Stands on a listener and stops accepting while a connection of its sandbox waits at the
/// [ConnectionEntrance]. Those behind it wait in the backlog of that sandbox's own socket, where
/// they cost others nothing.
public final class ConnectionGate extends ChannelInboundHandlerAdapter {
    private final ConnectionShare share;
    private final ConnectionTotal total;
    private @Nullable ConnectionEntrance entrance;

    /// @param share of the sandbox, which its other listeners have too
    public ConnectionGate(ConnectionShare share, ConnectionTotal total) {
        this.share = share;
        this.total = total;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        entrance =
                new ConnectionEntrance(
                        share,
                        total,
                        ctx.executor(),
                        new ConnectionEntrance.Inside() {
                            @Override
                            public void admit(Channel connection) {
                                ctx.fireChannelRead(connection);
                            }

                            @Override
                            public void looked(boolean somebodyWaits) {
                                ctx.channel().config().setAutoRead(!somebodyWaits);
                            }
                        });
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        ConnectionEntrance left = entrance;
        if (left != null) {
            left.close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ConnectionEntrance in = entrance;
        if (in != null) {
            in.offer((Channel) message);
        }
    }
}
