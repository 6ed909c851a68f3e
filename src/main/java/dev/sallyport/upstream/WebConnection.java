package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// One connection to a host, which serves one call at a time.
///
/// ```
/// verifying ── certificate is the host's ──▶ free ⇄ serving a call
/// any ── bytes that nobody asked for, a fault, too slow, closed ──▶ over
/// ```
final class WebConnection extends ChannelInboundHandlerAdapter {
    /// Shorter than servers usually wait (the shortest common limit is 5), so that a request does
    /// not meet a connection that is being closed.
    private static final int REST_SECONDS_MAX = 4;

    private static final String HTTP_1_1 = "http/1.1";

    private final Channel channel;
    private final WebOrder order;
    private final Limits.Upstream limits;
    private final AnswerReader reader;
    private final ProgressWatch watch;
    private final CompletableFuture<WebConnection> verified;
    private @Nullable WebCall call;
    private boolean heard;
    private boolean over;

    private WebConnection(
            Channel channel,
            WebOrder order,
            Limits.Upstream limits,
            CompletableFuture<WebConnection> verified) {
        this.channel = channel;
        this.order = order;
        this.limits = limits;
        this.verified = verified;
        this.reader = new AnswerReader(limits);
        this.watch = new ProgressWatch(channel.eventLoop(), this::expired);
    }

    /// Puts HTTP, in TLS if there is a handler for it, onto a fresh channel. Nothing is said before
    /// the host is verified.
    ///
    /// @param verified gets the connection when it can be used; when it fails or is cancelled, the
    ///   connection is closed
    static void open(
            Channel channel,
            Optional<SslHandler> tls,
            WebOrder order,
            Limits.Upstream limits,
            CompletableFuture<WebConnection> verified) {
        WebConnection connection = new WebConnection(channel, order, limits, verified);
        var _ =
                verified.whenComplete(
                        (_, problem) -> {
                            if (problem != null) {
                                connection.close();
                            }
                        });
        tls.ifPresent(handler -> channel.pipeline().addLast("tls", handler));
        channel.pipeline().addLast("request", new HttpRequestEncoder());
        channel.pipeline().addLast("answer", connection);
        ReadTurns.reading(channel, true);
        if (tls.isEmpty()) {
            verified.complete(connection);
        }
    }

    boolean serves(WebOrder other) {
        return other.goesWhere(order);
    }

    boolean isFree() {
        return !over && call == null && channel.isActive();
    }

    void begin(WebCall next, HttpRequest head, boolean headRequest) {
        call = next;
        heard = false;
        watch.stop();
        reader.expect(headRequest);
        var _ = channel.writeAndFlush(head);
    }

    /// The call has its whole answer.
    void finished() {
        call = null;
        watch.stop();
    }

    /// Waits for the next call, for a moment.
    void rest() {
        ReadTurns.reading(channel, true);
        watch.expectWithin(REST_SECONDS_MAX);
        refuseSurplus();
    }

    /// Takes ownership.
    void write(ByteBuf piece) {
        var _ = channel.writeAndFlush(new DefaultHttpContent(piece));
    }

    /// @param trailers fields after the body, which only one in chunks can have; others lose them
    void endRequest(Map<String, String> trailers) {
        LastHttpContent last = LastHttpContent.EMPTY_LAST_CONTENT;
        if (!trailers.isEmpty()) {
            last = new DefaultLastHttpContent();
            trailers.forEach(last.trailingHeaders()::set);
        }
        var _ = channel.writeAndFlush(last);
    }

    boolean isWritable() {
        return !over && channel.isWritable();
    }

    void reading(boolean wanted) {
        ReadTurns.reading(channel, wanted);
    }

    Limits.Upstream limits() {
        return limits;
    }

    ProgressWatch watch() {
        return watch;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        switch (event) {
            case SslHandshakeCompletionEvent handshake when handshake.isSuccess() -> verified(ctx);
            case SslHandshakeCompletionEvent handshake ->
                    fail(
                            handshake.cause() instanceof SslHandshakeTimeoutException
                                    ? Refusal.UPSTREAM_TIMEOUT
                                    : Refusal.UPSTREAM_MISBEHAVED);
            case SslCloseCompletionEvent closing when closing.isSuccess() -> closed(true);
            default -> ctx.fireUserEventTriggered(event);
        }
    }

    private void verified(ChannelHandlerContext ctx) {
        String protocol = ctx.pipeline().get(SslHandler.class).applicationProtocol();
        if (protocol == null || protocol.equals(HTTP_1_1)) {
            verified.complete(this);
        } else {
            fail(Refusal.UPSTREAM_MISBEHAVED);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        heard = true;
        watch.progress();
        reader.feed((ByteBuf) message);
        read();
    }

    private void read() {
        try {
            boolean starved = false;
            while (call != null && !starved) {
                Optional<AnswerPart> part = reader.next();
                starved = part.isEmpty();
                if (part.isPresent() && call != null) {
                    call.part(part.get());
                }
            }
            refuseSurplus();
        } catch (BadAnswerException _) {
            fail(Refusal.UPSTREAM_MISBEHAVED);
        }
    }

    /// What comes when no answer is owed could be taken for the answer to the next request.
    private void refuseSurplus() {
        if (call == null && reader.hasMore()) {
            close();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (call != null) {
            call.writabilityChanged(ctx.channel().isWritable());
        }
    }

    /// Without TLS nobody can tell the end of a body from its being cut, unless the body says so.
    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        closed(!order.tls());
    }

    /// What upstream did wrong is in the reason; the exception's text could quote what it sent.
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException && verified.isDone()) {
            closed(false);
        } else {
            fail(Refusal.UPSTREAM_MISBEHAVED);
        }
    }

    /// @param clean whether upstream meant it
    private void closed(boolean clean) {
        if (over) {
            return;
        }
        WebCall current = call;
        boolean whole = clean && reader.isUntilClose();
        close();
        if (current == null) {
            return;
        }
        if (whole) {
            current.part(new AnswerPart.End());
        } else {
            current.lost(heard);
        }
    }

    private void expired() {
        if (call == null) {
            close();
        } else {
            fail(Refusal.UPSTREAM_TIMEOUT);
        }
    }

    private void fail(Refusal reason) {
        if (over) {
            return;
        }
        WebCall current = call;
        verified.completeExceptionally(new UpstreamException(reason));
        close();
        if (current != null) {
            current.failed(reason);
        }
    }

    /// Gives the channel away: what follows is not HTTP.
    void hand(AnswerHead head, WebEvents receiver) {
        ByteBuf unread = reader.rest();
        over = true;
        call = null;
        watch.stop();
        ReadTurns.reading(channel, false);
        channel.pipeline().remove(HttpRequestEncoder.class);
        channel.pipeline().remove(this);
        receiver.switched(head, channel, unread);
    }

    void close() {
        if (!over) {
            over = true;
            call = null;
            watch.stop();
            reader.release();
            verified.completeExceptionally(new UpstreamException(Refusal.UPSTREAM_UNREACHABLE));
            var _ = channel.close();
        }
    }
}
