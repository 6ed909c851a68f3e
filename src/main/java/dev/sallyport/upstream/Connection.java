package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.credential.EchoGuard;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One connection to a host, which serves one call at a time, all of them with one key.
///
/// ```
/// verifying ── certificate is the host's ──▶ serving a call ⇄ resting
/// any ── bytes that nobody asked for, a fault, too slow, closed ──▶ over
/// ```
final class Connection extends ChannelInboundHandlerAdapter {
    /// Shorter than servers usually wait (the shortest common limit is 5), so that a request which
    /// cannot be made twice does not meet a connection that is being closed.
    private static final long BRIEF_REST_NANOS = TimeUnit.SECONDS.toNanos(4);

    private static final String HTTP_1_1 = "http/1.1";

    private final Channel channel;
    private final ConnectionKey key;
    private final Limits.Upstream limits;
    private final KeptConnections kept;
    private final AnswerReader reader;
    private final ProgressWatch watch;
    private final CompletableFuture<Connection> verified;
    private final long openedNanos = System.nanoTime();
    private long restingSinceNanos;
    private @Nullable UpstreamCall call;
    private boolean heard;
    private boolean over;

    private Connection(
            Channel channel,
            ConnectionKey key,
            Client client,
            CompletableFuture<Connection> verified) {
        this.channel = channel;
        this.key = key;
        this.limits = client.limits();
        this.kept = client.kept();
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
            ConnectionKey key,
            Client client,
            CompletableFuture<Connection> verified) {
        Connection connection = new Connection(channel, key, client, verified);
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

    ConnectionKey key() {
        return key;
    }

    /// Whether it rests, is alive and is not too old: the address that was checked when it was
    /// dialled is believed for so long and no longer.
    ///
    /// @param brief whether it must not have rested for more than a moment
    boolean isFresh(boolean brief) {
        long now = System.nanoTime();
        return !over
                && call == null
                && channel.isActive()
                && now - openedNanos < TimeUnit.SECONDS.toNanos(limits.connectionSecondsMax())
                && (!brief || now - restingSinceNanos < BRIEF_REST_NANOS);
    }

    /// @param flush whether the head goes out before there is a body
    void begin(UpstreamCall next, HttpRequest head, boolean flush) {
        call = next;
        heard = false;
        watch.stop();
        reader.expect(head.method().equals(HttpMethod.HEAD));
        var _ = flush ? channel.writeAndFlush(head) : channel.write(head);
    }

    /// The call has its whole answer; the next one may come, for a while.
    void rest() {
        call = null;
        restingSinceNanos = System.nanoTime();
        ReadTurns.reading(channel, true);
        watch.expectWithin(limits.keptSecondsMax());
        refuseSurplus();
        if (!over) {
            kept.keep(this);
        }
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

    /// Whether the piece of the answer that was given out last completes it downstream.
    boolean isAnswerComplete() {
        return reader.isSizedBodyComplete();
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
            // Later, so that what the host says together with its handshake is seen as unasked.
            ctx.executor().execute(() -> verified.complete(this));
        } else {
            fail(Refusal.UPSTREAM_MISBEHAVED);
        }
    }

    /// A channel that is closed goes on reading until its last bytes are out, and a host that does
    /// not take them can say much meanwhile.
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (over) {
            ReferenceCountUtil.release(message);
            return;
        }
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
            fail(Refusal.UPSTREAM_MISBEHAVED);
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
        closed(!key.place().tls());
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
        UpstreamCall current = call;
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
        UpstreamCall current = call;
        verified.completeExceptionally(new UpstreamException(reason));
        close();
        if (current != null) {
            current.failed(Failure.of(reason));
        }
    }

    /// Gives the channel away: what follows is not HTTP.
    void hand(AnswerHead head, UpstreamEvents receiver, Optional<EchoGuard> guard) {
        ByteBuf unread = reader.rest();
        over = true;
        call = null;
        watch.end();
        ReadTurns.reading(channel, false);
        channel.pipeline().remove(HttpRequestEncoder.class);
        channel.pipeline().remove(this);
        receiver.switched(head, channel, unread, guard);
    }

    /// From any thread.
    void closeSoon() {
        channel.eventLoop().execute(this::close);
    }

    void close() {
        if (!over) {
            over = true;
            call = null;
            watch.end();
            reader.release();
            ReadTurns.reading(channel, false);
            kept.gone(this);
            verified.completeExceptionally(new UpstreamException(Refusal.UPSTREAM_UNREACHABLE));
            var _ = channel.close();
        }
    }
}
