package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One HTTP connection of one sandbox: hands what the decoder found to the current
/// [ConnectionState], and asks for more only when that state wants it. The channel's auto-read is
/// off.
public final class RequestConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = System.getLogger(RequestConnection.class.getName());

    private final RequestDecoder decoder;
    private final ConnectionTerms terms;
    private ConnectionState state = new Closed();
    private @Nullable Channel channel;
    private @Nullable Future<?> ticks;
    private boolean handedOver;

    public RequestConnection(RequestDecoder decoder, ConnectionTerms terms) {
        this.decoder = decoder;
        this.terms = terms;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        channel = ctx.channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ticks = ctx.executor().scheduleWithFixedDelay(() -> state.tick(), 1, 1, TimeUnit.SECONDS);
        become(Waiting.forFirst(this));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        switch ((Inbound) message) {
            case Inbound.Begun _ -> state.begun();
            case Inbound.Head(RequestHead head) -> state.head(head);
            case Inbound.Piece(var bytes) -> state.piece(bytes);
            case Inbound.Trailers(var fields) -> state.trailers(fields);
            case Inbound.End _ -> state.bodyEnd();
            case Inbound.Refused(Refusal refusal) -> state.refused(refusal);
            case Inbound.Ambiguous _ -> end(terms.ambiguous(state instanceof Serving));
        }
        updateDemand();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end(Refusal.SESSION_ENDED);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        state.writabilityChanged(ctx.channel().isWritable());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            report(cause);
        }
        end(Refusal.INTERNAL);
    }

    ConnectionTerms terms() {
        return terms;
    }

    Channel channel() {
        Channel current = channel;
        if (current == null) {
            throw new IllegalStateException("not in a pipeline yet");
        }
        return current;
    }

    boolean isIn(ConnectionState other) {
        return state == other;
    }

    void become(ConnectionState next) {
        state = next;
        if (next instanceof Waiting waiting) {
            Spare.mark(channel(), waiting.isKept());
        } else {
            Spare.clear(channel());
        }
        updateDemand();
    }

    void updateDemand() {
        decoder.demand(state.wantsInput());
    }

    void swallow() {
        decoder.swallow();
    }

    /// Ends the connection; a request that is being served is told why.
    void end(Refusal reason) {
        ConnectionState left = state;
        close();
        left.over(reason);
    }

    void close() {
        rest();
        var _ = channel().close();
    }

    /// Shuts our side after the last answer; see [Lingering].
    void linger() {
        swallow();
        if (channel() instanceof DuplexChannel duplex) {
            become(new Lingering(this));
            SslHandler tls = channel().pipeline().get(SslHandler.class);
            if (tls == null) {
                var _ = duplex.shutdownOutput();
            } else {
                tls.closeOutbound()
                        .addListener(
                                _ -> {
                                    var _ = duplex.shutdownOutput();
                                });
            }
        } else {
            close();
        }
    }

    /// Leaves the pipeline to whatever comes after HTTP.
    void handOver(Successor successor) {
        handedOver = true;
        rest();
        ByteBuf unread = decoder.takeUnread();
        channel().pipeline().remove(decoder);
        channel().pipeline().remove(this);
        successor.take(channel(), unread);
    }

    /// Nothing more is wanted or counted.
    private void rest() {
        state = new Closed();
        updateDemand();
        Future<?> running = ticks;
        if (running != null) {
            running.cancel(false);
        }
    }

    void report(Throwable fault) {
        LOG.log(Level.ERROR, "a request failed inside the gateway", fault);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (!handedOver) {
            end(Refusal.SESSION_ENDED);
        }
    }
}
