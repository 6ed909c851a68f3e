package dev.sallyport.egress;

import dev.sallyport.config.Limits;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/// Answers a hello in the place of the permitted host, and becomes the TLS of the connection.
///
/// The name in the hello was compared with the permit before; it is compared again, by another
/// parser, so that no disagreement of parsers lets a second name in.
final class ServerHello extends SniHandler {
    private static final long CLOSE_MILLIS_MAX = 1_000;

    private final long handshakeSecondsMax;

    ServerHello(ServerContexts contexts, EgressPermit permit, RefusalLog log, Limits limits) {
        super(
                (String name) -> contexts.of(checked(permit, name, log)),
                limits.egress().helloBytesMax(),
                TimeUnit.SECONDS.toMillis(limits.upstream().tlsHandshakeSecondsMax()));
        this.handshakeSecondsMax = limits.upstream().tlsHandshakeSecondsMax();
    }

    private static EgressPermit checked(EgressPermit permit, String name, RefusalLog log) {
        if (permit.host().value().equals(name)) {
            return permit;
        }
        log.refused(Refusal.NAMES_DISAGREE);
        throw new IllegalArgumentException("the hello names another host");
    }

    /// Goes on with what was read before this handler was there.
    void begin(ChannelHandlerContext ctx, ByteBuf firstBytes) {
        try {
            channelRead(ctx, firstBytes);
            channelReadComplete(ctx);
        } catch (Exception _) {
            var _ = ctx.close();
        }
    }

    /// The engine holds the context from now on, and lets it go with the connection.
    @Override
    protected SslHandler newSslHandler(SslContext context, ByteBufAllocator allocator) {
        SslHandler tls;
        try {
            tls = super.newSslHandler(context, allocator);
        } finally {
            ReferenceCountUtil.release(context);
        }
        tls.setHandshakeTimeout(handshakeSecondsMax, TimeUnit.SECONDS);
        tls.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS_MAX);
        return tls;
    }
}
