package dev.sallyport.gateway;

import dev.sallyport.egress.EgressTerms;
import dev.sallyport.egress.SecureConnection;
import dev.sallyport.egress.TcpConnection;
import dev.sallyport.http.Spare;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.session.NameTable;
import dev.sallyport.upstream.ReadTurns;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A connection to a listed port of a host, other than 80 and 443. The address that was dialled
/// says which host is meant. Where a rule allows any protocol it is a tunnel; everywhere else the
/// first byte says whether it has to be TLS or HTTP, and what it is not is refused there.
final class PortPipeline extends ChannelInitializer<Channel> {
    private final EgressTerms terms;
    private final NameTable names;
    private final FrontPipeline front;
    private final int port;

    /// @param front serves plain HTTP
    PortPipeline(EgressTerms terms, NameTable names, FrontPipeline front, int port) {
        this.terms = terms;
        this.names = names;
        this.front = front;
        this.port = port;
    }

    @Override
    protected void initChannel(Channel channel) {
        Policy policy = terms.session().get().policy();
        channel.pipeline().addLast("turns", new ReadTurns(terms.session().get().id()));
        Optional<HostName> host = MeantHost.of(channel, names, policy);
        if (host.isEmpty()) {
            String address = MeantHost.address(channel).getHostAddress();
            SecureConnection.refuseUnnamed(terms, channel, address);
            return;
        }
        boolean tcp =
                policy.decide(host.get(), port)
                                instanceof Decision.Allow<EgressPermit>(EgressPermit permit)
                        && permit.isTcp();
        if (tcp) {
            Spare.clear(channel);
            channel.pipeline()
                    .addLast("tcp", TcpConnection.transparent(terms, host.get(), port, channel));
        } else {
            channel.pipeline().addLast("first", new FirstByte(host.get()));
        }
    }

    /// Waits for the first byte, no longer than for a hello.
    private final class FirstByte extends ChannelInboundHandlerAdapter {
        private static final int TLS_HANDSHAKE = 0x16;

        private final HostName host;

        FirstByte(HostName host) {
            this.host = host;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            int seconds = terms.limits().helloSecondsMax();
            var deadline = ctx.executor().schedule(() -> giveUp(ctx), seconds, TimeUnit.SECONDS);
            ctx.channel().closeFuture().addListener(_ -> deadline.cancel(false));
            ctx.read();
        }

        private void giveUp(ChannelHandlerContext ctx) {
            if (!ctx.isRemoved()) {
                var _ = ctx.close();
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            boolean tls = bytes.getByte(bytes.readerIndex()) == TLS_HANDSHAKE;
            if (tls) {
                ctx.pipeline().addLast("secure", SecureConnection.transparent(terms, host, port));
            } else {
                front.serveHost(ctx.channel(), port);
            }
            ctx.fireChannelActive();
            ctx.fireChannelRead(bytes);
            ctx.pipeline().remove(this);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = ctx.close();
        }
    }
}
