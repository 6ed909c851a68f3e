package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One HTTP/1.1 connection of one sandbox, which carries one [Exchange] after the other: hands over
/// what the decoder found, and asks for more only when that is wanted. The channel's auto-read is
/// off.
public final class RequestConnection extends ChannelInboundHandlerAdapter implements HttpWire {
    private static final Logger LOG = System.getLogger(RequestConnection.class.getName());
    private static final int LINGER_SECONDS = 2;

    /// ```
    /// WAITING ⇄ BUSY ─▶ LINGERING ─▶ CLOSED
    /// ```
    private enum Phase {
        /// The connection is new or kept alive, or a head is arriving.
        WAITING,
        /// There is an exchange.
        BUSY,
        /// The last answer is out and our side is shut. What the sandbox still sends is thrown away
        /// for a moment: closing with unread bytes would reset the connection and could destroy the
        /// answer on its way (RFC 9112, section 9.6).
        LINGERING,
        /// Nothing more is read, written or expected.
        CLOSED
    }

    private final RequestDecoder decoder;
    private final ConnectionTerms terms;
    private Phase phase = Phase.CLOSED;
    private @Nullable Exchange exchange;
    private @Nullable Channel channel;
    private @Nullable Future<?> ticks;

    /// Until the phase ends by itself, unless that is [Phase#BUSY].
    private int secondsLeft;

    private int restSeconds;
    private boolean begun;
    private boolean chunked;
    private boolean takesTrailers;
    private boolean handedOver;

    RequestConnection(RequestDecoder decoder, ConnectionTerms terms) {
        this.decoder = decoder;
        this.terms = terms;
    }

    /// Appends the handlers, in wire order.
    public static void addTo(ChannelPipeline pipeline, ConnectionTerms terms, HeadForm form) {
        RequestDecoder decoder = new RequestDecoder(terms.limits(), form);
        pipeline.addLast("decoder", decoder)
                .addLast("connection", new RequestConnection(decoder, terms));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        channel = ctx.channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ticks = ctx.executor().scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
        // A new connection has to send its head at once.
        await(false, terms.limits().headSecondsMax());
    }

    private void await(boolean kept, int seconds) {
        phase = Phase.WAITING;
        exchange = null;
        begun = false;
        secondsLeft = seconds;
        Spare.mark(channel(), kept);
        updateDemand();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Exchange open = exchange;
        if (open == null) {
            readHead((Inbound) message);
        } else {
            readBody(open, (Inbound) message);
        }
        updateDemand();
    }

    private void readHead(Inbound message) {
        switch (message) {
            case Inbound.Begun _ -> {
                begun = true;
                Spare.mark(channel(), false);
                secondsLeft = Math.min(secondsLeft, terms.limits().headSecondsMax());
            }
            case Inbound.Head(RequestHead head) -> {
                takesTrailers = head.takesTrailers();
                begin(Exchange.of(this, terms, head)).begin(head);
            }
            case Inbound.Refused(Refusal refusal, boolean headRequest) ->
                    turnAway(refusal, headRequest);
            case Inbound.Piece(var bytes) -> bytes.release();
            case Inbound.Ambiguous _ -> end(terms.log().ambiguous());
            case Inbound.Trailers _, Inbound.End _ -> {}
        }
    }

    /// A second head cannot come before the answer.
    private void readBody(Exchange open, Inbound message) {
        switch (message) {
            case Inbound.Piece(var bytes) -> open.piece(bytes);
            case Inbound.Trailers(var fields) -> open.trailers(fields);
            case Inbound.End _ -> open.bodyEnd();
            case Inbound.Ambiguous _ -> end(open.ambiguity());
            case Inbound.Begun _, Inbound.Head _, Inbound.Refused _ -> end(Refusal.BAD_REQUEST);
        }
    }

    private Exchange begin(Exchange next) {
        phase = Phase.BUSY;
        exchange = next;
        Spare.clear(channel());
        return next;
    }

    /// Where a body of such a request ends is not known.
    private void turnAway(Refusal refusal, boolean headRequest) {
        begin(new Exchange(this, terms, headRequest, true)).turnAway(refusal);
    }

    private void tick() {
        Exchange open = exchange;
        if (open != null) {
            open.tick();
            return;
        }
        restSeconds = Math.max(0, restSeconds - 1);
        if (--secondsLeft > 0) {
            updateDemand();
        } else if (phase == Phase.WAITING && begun) {
            decoder.swallow();
            turnAway(Refusal.REQUEST_TIMEOUT, false);
        } else {
            close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end(Refusal.SESSION_ENDED);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        Exchange open = exchange;
        if (open != null) {
            open.writabilityChanged(ctx.channel().isWritable());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            LOG.log(Level.ERROR, "a request failed inside the gateway", cause);
        }
        end(Refusal.INTERNAL);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (!handedOver) {
            end(Refusal.SESSION_ENDED);
        }
    }

    /// Ends the connection; a request that is being served is told why.
    private void end(Refusal reason) {
        Exchange open = exchange;
        close();
        if (open != null) {
            open.over(reason);
        }
    }

    private void close() {
        retire();
        var _ = channel().close();
    }

    /// Nothing more is wanted or counted.
    private void retire() {
        phase = Phase.CLOSED;
        exchange = null;
        updateDemand();
        Future<?> running = ticks;
        if (running != null) {
            running.cancel(false);
        }
    }

    @Override
    public Channel channel() {
        Channel current = channel;
        if (current == null) {
            throw new IllegalStateException("not in a pipeline yet");
        }
        return current;
    }

    @Override
    public void updateDemand() {
        Exchange open = exchange;
        decoder.demand(
                switch (phase) {
                    case WAITING -> restSeconds == 0;
                    case BUSY -> open != null && open.wantsInput();
                    case LINGERING -> true;
                    case CLOSED -> false;
                });
    }

    @Override
    public void writeContinue() {
        var _ = channel().writeAndFlush(Http1Answer.proceed());
    }

    @Override
    public void writeHead(
            int status,
            Map<String, String> fields,
            BodyFraming framing,
            boolean bodyFollows,
            boolean last) {
        chunked = bodyFollows && framing instanceof BodyFraming.Chunked;
        var _ = channel().write(Http1Answer.head(channel().alloc(), status, fields, framing, last));
    }

    @Override
    public void writeBody(ByteBuf piece) {
        if (chunked) {
            var _ = channel().write(Http1Answer.size(channel().alloc(), piece.readableBytes()));
            var _ = channel().write(piece);
            var _ = channel().write(Http1Answer.lineEnd());
        } else {
            var _ = channel().write(piece);
        }
    }

    @Override
    public ChannelFuture writeEnd(Map<String, String> trailers) {
        Map<String, String> asked = takesTrailers ? trailers : Map.of();
        return channel().writeAndFlush(Http1Answer.end(channel().alloc(), chunked, asked));
    }

    @Override
    public void flush() {
        channel().flush();
    }

    @Override
    public boolean isHttp2() {
        return false;
    }

    @Override
    public void done() {
        await(true, restSeconds + terms.limits().keepAliveSecondsMax());
    }

    @Override
    public void stop() {
        decoder.swallow();
        if (!(channel() instanceof DuplexChannel duplex)) {
            close();
            return;
        }
        phase = Phase.LINGERING;
        exchange = null;
        secondsLeft = LINGER_SECONDS;
        updateDemand();
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
    }

    @Override
    public void cut(Refusal reason) {
        close();
    }

    @Override
    public void rest() {
        restSeconds = 1;
    }

    @Override
    public void writeLeave(int status, Map<String, String> fields) {
        var _ = channel().writeAndFlush(Http1Answer.leave(channel().alloc(), status, fields));
    }

    /// Leaves the pipeline to whatever comes after HTTP.
    @Override
    public void handOver(Successor successor) {
        handedOver = true;
        retire();
        ByteBuf unread = decoder.takeUnread();
        channel().pipeline().remove(decoder);
        channel().pipeline().remove(this);
        successor.take(channel(), unread);
    }
}
