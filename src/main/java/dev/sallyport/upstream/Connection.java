package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.credential.EchoGuard;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One connection to a host, which serves one call at a time, all of them with one key. Its time,
/// its end and whose it is are settled here; what is on it is its [UpstreamWire]'s. In HTTP/2
/// several can have one channel ([Http2Link]).
///
/// ```
/// verifying ── certificate is the host's ──▶ serving a call ⇄ resting
/// any ── bytes that nobody asked for, a fault, too slow, closed ──▶ over
/// ```
final class Connection extends ChannelInboundHandlerAdapter {
    /// Shorter than servers usually wait (the shortest common limit is 5), so that a request which
    /// cannot be made twice does not meet a connection that is being closed.
    private static final long BRIEF_REST_NANOS = TimeUnit.SECONDS.toNanos(4);

    /// Its name in the pipeline.
    static final String HANDLER = "connection";

    private final Channel channel;
    private final ConnectionKey key;
    private final Limits.Upstream limits;
    private final KeptConnections kept;
    private final ProgressWatch watch;
    private final CompletableFuture<Connection> verified;
    private final long openedNanos;
    private final boolean joined;
    private @Nullable UpstreamWire wire;
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
        this.watch = new ProgressWatch(channel.eventLoop(), this::expired);
        this.openedNanos = System.nanoTime();
        this.joined = false;
    }

    /// One with a stream on the channel of another.
    private Connection(Connection first, Http2Link link) {
        this.channel = first.channel;
        this.key = first.key;
        this.limits = first.limits;
        this.kept = first.kept;
        this.verified = CompletableFuture.completedFuture(this);
        this.watch = new ProgressWatch(channel.eventLoop(), this::expired);
        this.openedNanos = first.openedNanos;
        this.joined = true;
        this.wire = link.join(this);
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
        channel.pipeline().addLast(HANDLER, connection);
        if (tls.isEmpty()) {
            connection.wire = Http1Wire.on(channel, connection, connection.limits);
        }
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
        return !over
                && call == null
                && channel.isActive()
                && isYoung()
                && (!brief || System.nanoTime() - restingSinceNanos < BRIEF_REST_NANOS);
    }

    /// What its streams are on, if it speaks HTTP/2.
    Optional<Http2Link> link() {
        return wire instanceof Http2Wire http2 ? Optional.of(http2.link()) : Optional.empty();
    }

    /// Another one on the same channel, for a call at the same time; empty when there is no room
    /// for one, or it is too old for that.
    Optional<Connection> beside() {
        return link().filter(link -> isYoung() && link.hasRoom())
                .map(link -> new Connection(this, link));
    }

    /// Whether the channel has served others before.
    boolean isJoined() {
        return joined;
    }

    private boolean isYoung() {
        return System.nanoTime() - openedNanos
                < TimeUnit.SECONDS.toNanos(limits.connectionSecondsMax());
    }

    private UpstreamWire wire() {
        UpstreamWire agreed = wire;
        if (agreed == null) {
            throw new IllegalStateException("the host is not verified yet");
        }
        return agreed;
    }

    void begin(UpstreamCall next, HttpRequest head, boolean bodyFollows) {
        call = next;
        heard = false;
        watch.stop();
        wire().begin(head, bodyFollows);
    }

    /// The call has its whole answer; the next one may come, for a while.
    ///
    /// @param lasting whether host and call have left it in a state for that
    void answered(boolean lasting) {
        call = null;
        restingSinceNanos = System.nanoTime();
        if (lasting && wire().rest()) {
            watch.expectWithin(limits.keptSecondsMax());
            kept.keep(this);
        } else {
            close();
        }
    }

    /// Takes ownership.
    void write(ByteBuf piece) {
        watch.progress();
        wire().write(piece);
    }

    /// Sends a head whose body is not here yet; otherwise both go out as one.
    void flush() {
        wire().flush();
    }

    /// @param trailers fields after the body
    void endRequest(Map<String, String> trailers) {
        wire().end(trailers);
    }

    /// Whether the piece of the answer that was given out last completes it downstream.
    boolean isAnswerComplete() {
        return wire().isAnswerComplete();
    }

    boolean isWritable() {
        return !over && wire().isWritable();
    }

    void reading(boolean wanted) {
        wire().reading(wanted);
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
            case SslHandshakeCompletionEvent handshake -> fail(reasonOf(handshake.cause()));
            case SslCloseCompletionEvent closing when closing.isSuccess() -> closed(true);
            default -> ctx.fireUserEventTriggered(event);
        }
    }

    /// Why there was no handshake.
    private static Refusal reasonOf(Throwable cause) {
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof CertificateException) {
                return Refusal.UPSTREAM_UNTRUSTED;
            }
        }
        return cause instanceof SslHandshakeTimeoutException
                ? Refusal.UPSTREAM_TIMEOUT
                : Refusal.UPSTREAM_MISBEHAVED;
    }

    /// The wire is there before anything that the host says together with its handshake.
    private void verified(ChannelHandlerContext ctx) {
        String protocol = ctx.pipeline().get(SslHandler.class).applicationProtocol();
        if (protocol == null || protocol.equals(ApplicationProtocolNames.HTTP_1_1)) {
            wire = Http1Wire.on(channel, this, limits);
        } else if (key.http2() && protocol.equals(ApplicationProtocolNames.HTTP_2)) {
            wire = Http2Link.on(channel, this, limits);
        } else {
            misbehaved();
            return;
        }
        // Later, so that what of HTTP/1.1 comes with the handshake is seen as unasked.
        ctx.executor().execute(() -> verified.complete(this));
    }

    boolean isOver() {
        return over;
    }

    /// Whether an answer is owed.
    boolean isAsked() {
        return call != null;
    }

    /// Something of an answer has come.
    void heard() {
        heard = true;
        watch.progress();
    }

    void part(AnswerPart part) {
        if (call != null) {
            call.part(part);
        } else if (part instanceof AnswerPart.Piece(ByteBuf bytes)) {
            bytes.release();
        }
    }

    void writabilityChanged() {
        if (call != null) {
            call.writabilityChanged(isWritable());
        }
    }

    /// The host ends the answer, or has not even begun it, and nothing more comes here.
    void lost() {
        closed(false);
    }

    void misbehaved() {
        fail(Refusal.UPSTREAM_MISBEHAVED);
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
        boolean whole = wire != null && wire.isWholeAtClose(clean);
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
        ByteBuf unread = wire().leave();
        over = true;
        call = null;
        watch.end();
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
            kept.gone(this);
            verified.completeExceptionally(new UpstreamException(Refusal.UPSTREAM_UNREACHABLE));
            if (wire == null || wire.release()) {
                ReadTurns.reading(channel, false);
                var _ = channel.close();
            }
        }
    }
}
