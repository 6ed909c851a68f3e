package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What arrives on one HTTP/2 stream: one head, its body, fields after it, its end. More than that
/// resets the stream. Frames are taken from the stream only when they are wanted, so that its
/// flow-control window holds back the rest.
final class Http2Request extends ChannelInboundHandlerAdapter implements RequestQuota.Guest {
    /// What is read past after the answer before the client is told to stop.
    private static final long DISCARD_BYTES_MAX = 1L << 20;

    private final Http2Connection connection;

    /// Asked for before the door paused; never more than the stream's window.
    private final Deque<Http2StreamFrame> held = new ArrayDeque<>();

    private @Nullable Channel stream;
    private @Nullable Http2Exchange exchange;

    /// Waits for a place.
    private @Nullable RequestHead inLine;

    private boolean headSeen;
    private boolean draining;
    private boolean bodyOver;
    private long announced = -1;
    private long arrived;
    private long discarded;
    private int discardSecondsLeft;
    private int waitSecondsLeft;

    Http2Request(Http2Connection connection) {
        this.connection = connection;
        this.discardSecondsLeft = connection.terms().limits().bodyIdleSecondsMax();
        this.waitSecondsLeft = connection.terms().quota().waitSecondsMax();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        stream = ctx.channel();
        ctx.channel().config().setAutoRead(false);
        connection.began(this);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        switch (message) {
            case Http2HeadersFrame head when !headSeen -> head(head);
            case Http2HeadersFrame trailers -> held.add(trailers);
            case Http2DataFrame data -> held.add(data);
            default -> ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        updateDemand();
    }

    private void head(Http2HeadersFrame frame) {
        headSeen = true;
        bodyOver = frame.isEndStream();
        try {
            RequestHead head =
                    Http2Head.parse(frame.headers(), bodyOver, connection.terms().limits());
            if (head.framing() instanceof BodyFraming.Sized(long bytes)) {
                announced = bytes;
            }
            enter(head);
        } catch (BadHead e) {
            if (e.verdict() instanceof Inbound.Refused(Refusal refusal)) {
                turnAway(refusal, "HEAD".contentEquals(method(frame)));
            } else {
                broken();
            }
        }
    }

    private static CharSequence method(Http2HeadersFrame frame) {
        CharSequence method = frame.headers().method();
        return method == null ? "" : method;
    }

    /// Over the quota it waits, as with HTTP/1.1; see [InLine].
    private void enter(RequestHead head) {
        inLine = head;
        Optional<Refusal> full = connection.terms().quota().enter(this);
        full.ifPresent(refusal -> turnAwayForNow(head, refusal));
    }

    @Override
    public EventLoop loop() {
        return channel().eventLoop();
    }

    @Override
    public void admitted() {
        RequestHead head = inLine;
        if (head == null) {
            connection.terms().quota().leave();
            return;
        }
        inLine = null;
        exchange = Http2Exchange.begin(this, head);
        if (bodyOver) {
            exchange.bodyEnd();
        }
        updateDemand();
    }

    private void leaveLine() {
        if (inLine != null) {
            inLine = null;
            var _ = connection.terms().quota().giveUp(this);
        }
    }

    private void waitOn(RequestHead head) {
        if (--waitSecondsLeft <= 0) {
            Optional<Refusal> why = connection.terms().quota().giveUp(this);
            why.ifPresent(refusal -> turnAwayForNow(head, refusal));
        }
    }

    private void turnAwayForNow(RequestHead head, Refusal refusal) {
        inLine = null;
        connection.rest();
        turnAway(refusal, head.isHead());
    }

    private void turnAway(Refusal refusal, boolean headRequest) {
        String id = connection.terms().log().refused(refusal);
        answered(new Http2Answer(channel(), headRequest).refuse(RefusalPage.of(refusal, id)), true);
    }

    /// Takes ownership of the frame.
    private void take(Http2StreamFrame frame) {
        switch (frame) {
            case Http2DataFrame data -> data(data);
            case Http2HeadersFrame trailers -> trailers(trailers);
            default -> ReferenceCountUtil.release(frame);
        }
    }

    private void trailers(Http2HeadersFrame frame) {
        try {
            Map<String, String> fields =
                    Http2Head.trailers(frame.headers(), connection.terms().limits());
            if (!frame.isEndStream() || arrived < announced) {
                throw BadHead.ambiguous();
            }
            current().ifPresent(open -> open.trailers(fields));
            bodyEnd();
        } catch (BadHead _) {
            broken();
        }
    }

    /// Takes ownership of the frame.
    private void data(Http2DataFrame frame) {
        ByteBuf bytes = frame.content();
        arrived += bytes.readableBytes();
        boolean end = frame.isEndStream();
        boolean tooLong = announced >= 0 && arrived > announced;
        boolean tooShort = announced >= 0 && end && arrived < announced;
        if (tooLong || tooShort) {
            frame.release();
            broken();
            return;
        }
        pass(bytes);
        if (end) {
            bodyEnd();
        }
    }

    private void bodyEnd() {
        bodyOver = true;
        current().ifPresent(Http2Exchange::bodyEnd);
    }

    private void pass(ByteBuf bytes) {
        Optional<Http2Exchange> open = current();
        if (open.isPresent()) {
            open.get().piece(bytes);
            return;
        }
        discarded += bytes.readableBytes();
        bytes.release();
        if (discarded > DISCARD_BYTES_MAX) {
            reset(Http2Error.NO_ERROR);
        }
    }

    private Optional<Http2Exchange> current() {
        return Optional.ofNullable(exchange).filter(open -> !open.isOver());
    }

    /// The answer is on its way. What still comes of the body is read past, or not waited for.
    ///
    /// @param readPast whether it is clear that the client sends the body
    void answered(ChannelFuture lastWrite, boolean readPast) {
        if (!bodyOver && !readPast) {
            lastWrite.addListener(_ -> reset(Http2Error.NO_ERROR));
        }
        updateDemand();
    }

    void updateDemand() {
        if (draining) {
            return;
        }
        draining = true;
        while (isWanted() && !held.isEmpty()) {
            take(held.remove());
        }
        draining = false;
        if (isWanted()) {
            channel().read();
        }
    }

    private boolean isWanted() {
        return !bodyOver && inLine == null && current().map(Http2Exchange::wantsInput).orElse(true);
    }

    /// Two readers could disagree about this request.
    private void broken() {
        end(connection.terms().ambiguous(current().isPresent()), Http2Error.PROTOCOL_ERROR);
    }

    void end(Refusal reason, Http2Error error) {
        current().ifPresent(open -> open.over(reason));
        reset(error);
    }

    void reset(Http2Error error) {
        bodyOver = true;
        letGo();
        leaveLine();
        Channel current = channel();
        if (current.isActive()) {
            var _ = current.writeAndFlush(new DefaultHttp2ResetFrame(error));
            var _ = current.close();
        }
    }

    private void letGo() {
        held.forEach(ReferenceCountUtil::release);
        held.clear();
    }

    void tick() {
        boolean closed =
                channel() instanceof Http2StreamChannel child
                        && child.stream().state() == Http2Stream.State.CLOSED;
        if (closed) {
            gone();
        } else if (inLine != null) {
            waitOn(inLine);
        } else if (current().isPresent()) {
            current().get().tick();
        } else if (--discardSecondsLeft <= 0) {
            reset(Http2Error.NO_ERROR);
        }
    }

    /// The stream is over, or its connection is.
    void gone() {
        connection.ended(this);
        bodyOver = true;
        letGo();
        leaveLine();
        current().ifPresent(open -> open.over(Refusal.SESSION_ENDED));
        var _ = channel().close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        gone();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Http2ResetFrame) {
            gone();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        current().ifPresent(open -> open.writabilityChanged(ctx.channel().isWritable()));
    }

    /// The codec found a fault in the stream, and resets it.
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Refusal reason = connection.terms().ambiguous(current().isPresent());
        current().ifPresent(open -> open.over(reason));
    }

    ConnectionTerms terms() {
        return connection.terms();
    }

    Channel channel() {
        Channel current = stream;
        if (current == null) {
            throw new IllegalStateException("not in a pipeline yet");
        }
        return current;
    }
}
