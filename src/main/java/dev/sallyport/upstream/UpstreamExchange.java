package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.ReferenceCountUtil;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One request and its answer on a connection of its own.
///
/// ```
/// VERIFYING --TLS verified, head sent--> AWAITING --head of answer--> ANSWERING --its end--> OVER
///     \____________ anything else that happens, in any state _____________________________/
/// ```
///
/// The credential is written when the certificate has been verified and not before.
final class UpstreamExchange extends ChannelInboundHandlerAdapter {
    /// 1xx answers that are skipped; a stream of them would otherwise keep us waiting.
    private static final int INTERIM_ANSWERS_MAX = 8;

    private enum State {
        VERIFYING,
        AWAITING,
        ANSWERING,
        OVER
    }

    private final UpstreamRequest request;
    private final String target;
    private final CredentialBook credentials;
    private final Limits.Upstream limits;
    private final UpstreamEvents events;
    private final int port;
    private State state = State.VERIFYING;
    private boolean requestSent;
    private boolean authorized;
    private boolean interim;
    private int interimAnswers;
    private @Nullable Channel channel;
    private @Nullable ProgressWatch watch;

    UpstreamExchange(
            UpstreamRequest request,
            String target,
            CredentialBook credentials,
            Limits.Upstream limits,
            UpstreamEvents events,
            int port) {
        this.request = request;
        this.target = target;
        this.credentials = credentials;
        this.limits = limits;
        this.events = events;
        this.port = port;
    }

    int port() {
        return port;
    }

    SessionId session() {
        return request.permit().session();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        watch = new ProgressWatch(ctx.channel().eventLoop(), () -> fail(Refusal.UPSTREAM_TIMEOUT));
        ReadTurns.reading(ctx.channel(), true);
        ctx.fireChannelActive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            if (handshake.isSuccess()) {
                sendHead(ctx);
            } else {
                fail(
                        handshake.cause() instanceof SslHandshakeTimeoutException
                                ? Refusal.UPSTREAM_TIMEOUT
                                : Refusal.UPSTREAM_MISBEHAVED);
            }
        }
    }

    private void sendHead(ChannelHandlerContext ctx) {
        if (state != State.VERIFYING) {
            return;
        }
        state = State.AWAITING;
        HttpRequest head = RequestHeadWriter.write(request, target, credentials);
        authorized = head.headers().contains(HttpHeaderNames.AUTHORIZATION);
        var _ = ctx.writeAndFlush(head);
        if (request.framing() instanceof BodyFraming.None) {
            end();
        } else {
            events.writable(ctx.channel().isWritable());
        }
    }

    /// Takes ownership.
    void write(ByteBuf piece) {
        if (channel == null || state == State.OVER || requestSent) {
            piece.release();
            return;
        }
        var _ = channel.writeAndFlush(new DefaultHttpContent(piece));
    }

    void end() {
        if (channel != null && state != State.OVER && !requestSent) {
            requestSent = true;
            var _ = channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
            expectWithin(
                    state == State.ANSWERING ? limits.idleSecondsMax() : limits.answerSecondsMax());
        }
    }

    boolean isWritable() {
        return channel != null
                && state != State.VERIFYING
                && state != State.OVER
                && !requestSent
                && channel.isWritable();
    }

    void reading(boolean wanted) {
        if (channel == null || watch == null || state == State.OVER) {
            return;
        }
        ReadTurns.reading(channel, wanted);
        if (!wanted) {
            watch.stop();
        } else if (state == State.ANSWERING) {
            watch.expectWithin(limits.idleSecondsMax());
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (state == State.VERIFYING || state == State.OVER || requestSent) {
            return;
        }
        if (ctx.channel().isWritable()) {
            stopWatch();
        } else {
            expectWithin(limits.idleSecondsMax());
        }
        ctx.executor().execute(this::tellWritability);
    }

    /// Later rather than at once: Netty reports a change from inside `write`, where a caller that
    /// writes more in response would overtake itself.
    private void tellWritability() {
        if (state != State.OVER && !requestSent) {
            events.writable(isWritable());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (state != State.AWAITING && state != State.ANSWERING) {
            ReferenceCountUtil.release(message);
            fail(Refusal.UPSTREAM_MISBEHAVED);
            return;
        }
        if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
            ReferenceCountUtil.release(message);
            fail(Refusal.UPSTREAM_MISBEHAVED);
            return;
        }
        if (message instanceof HttpResponse head) {
            answerHead(head);
        }
        if (message instanceof HttpContent content) {
            answerBody(content);
        }
    }

    private void answerHead(HttpResponse head) {
        interim = head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
        if (interim) {
            if (head.status().code() == 101 || ++interimAnswers > INTERIM_ANSWERS_MAX) {
                fail(Refusal.UPSTREAM_MISBEHAVED);
            }
            return;
        }
        if (state != State.AWAITING) {
            fail(Refusal.UPSTREAM_MISBEHAVED);
            return;
        }
        Optional<Failure> objection = AnswerCheck.objection(head, request.answerType(), authorized);
        if (objection.isPresent()) {
            fail(objection.get());
            return;
        }
        state = State.ANSWERING;
        expectWithin(limits.idleSecondsMax());
        events.begun(AnswerCheck.length(head));
    }

    /// An answer that is complete before its request is belongs to some other request, or to none;
    /// its last piece is kept back, because with it a sized answer would be complete downstream.
    private void answerBody(HttpContent content) {
        if (state != State.ANSWERING || interim) {
            content.release();
            return;
        }
        progress();
        if (content instanceof LastHttpContent && !requestSent) {
            content.release();
            fail(Refusal.UPSTREAM_MISBEHAVED);
            return;
        }
        if (content.content().isReadable()) {
            events.piece(content.content());
        } else {
            content.release();
        }
        if (content instanceof LastHttpContent && state != State.OVER) {
            close();
            events.complete();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail(state == State.VERIFYING ? Refusal.UPSTREAM_UNREACHABLE : Refusal.UPSTREAM_MISBEHAVED);
    }

    /// What upstream did wrong is in the reason; the exception's text could quote what it sent.
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail(Refusal.UPSTREAM_MISBEHAVED);
    }

    private void fail(Refusal reason) {
        fail(Failure.of(reason));
    }

    private void fail(Failure failure) {
        if (state != State.OVER) {
            close();
            events.failed(failure);
        }
    }

    void close() {
        state = State.OVER;
        stopWatch();
        if (channel != null) {
            var _ = channel.close();
        }
    }

    private void expectWithin(int seconds) {
        if (watch != null) {
            watch.expectWithin(seconds);
        }
    }

    private void progress() {
        if (watch != null) {
            watch.progress();
        }
    }

    private void stopWatch() {
        if (watch != null) {
            watch.stop();
        }
    }
}
