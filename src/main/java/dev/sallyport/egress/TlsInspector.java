package dev.sallyport.egress;

import dev.sallyport.config.Limits;
import dev.sallyport.credential.Authority;
import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.HeadForm;
import dev.sallyport.http.Http2Connection;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestConnection;
import dev.sallyport.http.Spare;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Plays the inspected hosts towards one sandbox: TLS with a certificate of the sandbox's own
/// authority, and within it HTTP/1.1 or HTTP/2.
public final class TlsInspector implements Inspector {
    private final Optional<ServerContexts> contexts;
    private final ConnectionTerms terms;
    private final WebDoors doors;
    private final Limits limits;

    /// @param authority without one every connection is refused
    /// @param terms of the session, with whatever door
    public TlsInspector(
            Optional<Authority> authority, ConnectionTerms terms, WebDoors doors, Limits limits) {
        this.contexts = authority.map(ServerContexts::new);
        this.terms = terms;
        this.doors = doors;
        this.limits = limits;
    }

    @Override
    public void take(Channel channel, EgressPermit permit, ByteBuf firstBytes) {
        if (contexts.isEmpty() || permit.inspection().isEmpty()) {
            firstBytes.release();
            terms.log().refused(Refusal.INTERNAL);
            var _ = channel.close();
            return;
        }
        WebDoors.Connection door = doors.open(permit, true);
        channel.closeFuture().addListener(_ -> door.close());
        Spare.mark(channel, false);
        ConnectionTerms judged = terms.withDoor(door);
        ServerHello hello = new ServerHello(contexts.get(), permit, judged.log(), limits);
        channel.pipeline()
                .addLast("tls", hello)
                .addLast("inspected", new InspectedConnection(judged));
        hello.begin(channel.pipeline().context(hello), firstBytes);
    }

    /// The session is over. Connections that are open still end in their own time.
    @Override
    public void close() {
        contexts.ifPresent(ServerContexts::close);
    }

    /// What comes after the TLS of an inspected connection: the handlers of the protocol that was
    /// agreed on. It stays between both, so that a broken record closes the connection and is
    /// nobody's failed request.
    private static final class InspectedConnection extends ChannelInboundHandlerAdapter {
        private final ConnectionTerms terms;

        InspectedConnection(ConnectionTerms terms) {
            this.terms = terms;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
                ctx.fireUserEventTriggered(event);
            } else if (handshake.isSuccess()) {
                serve(ctx);
            } else {
                terms.log().refused(Refusal.BAD_HELLO);
                var _ = ctx.close();
            }
        }

        private void serve(ChannelHandlerContext ctx) {
            ChannelPipeline pipeline = ctx.pipeline();
            String protocol = pipeline.get(SslHandler.class).applicationProtocol();
            if (ApplicationProtocolNames.HTTP_2.equals(protocol)) {
                Http2Connection.addTo(pipeline, terms);
            } else {
                RequestConnection.addTo(pipeline, terms, HeadForm.WEB);
            }
            ctx.fireChannelActive();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = ctx.close();
        }
    }

    /// Answers a hello in the place of the permitted host, and becomes the TLS of the connection.
    ///
    /// The name in the hello was compared with the permit before; it is compared again, by another
    /// parser, so that no disagreement of parsers lets a second name in.
    private static final class ServerHello extends SniHandler {
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
}
