package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.util.ReferenceCountUtil;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One HTTP/2 stream, which carries one [Exchange]: a head, its body, fields after it, its end.
/// More than that resets the stream. Frames are taken from the stream only when they are wanted, so
/// that its flow-control window holds back the rest.
final class Http2Request extends ChannelInboundHandlerAdapter implements HttpWire {
    private static final Logger LOG = System.getLogger(Http2Request.class.getName());

    private final Http2Connection connection;

    /// Asked for before the door paused; never more than the stream's window.
    private final Deque<Http2StreamFrame> held = new ArrayDeque<>();

    private @Nullable Channel stream;
    private @Nullable Exchange exchange;

    /// The client has said that nothing more comes, and the exchange has yet to hear it.
    private boolean ended;

    private boolean draining;

    /// Frames of the body that arrived and were not taken yet, here or in the codec.
    private int waitingFrames;

    private @Nullable Http2Headers unwritten;

    private long announced = -1;
    private long arrived;

    Http2Request(Http2Connection connection) {
        this.connection = connection;
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
            case Http2HeadersFrame head when exchange == null -> {
                if (connection.isOverfull()) {
                    reset(Http2Error.REFUSED_STREAM);
                } else {
                    head(head);
                }
            }
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
        ended = frame.isEndStream();
        ConnectionTerms terms = connection.terms();
        try {
            RequestHead head = Http2Head.parse(frame.headers(), ended, terms.limits());
            if (head.framing() instanceof BodyFraming.Sized(long bytes)) {
                announced = bytes;
            }
            Exchange next = Exchange.of(this, terms, head);
            exchange = next;
            next.begin(head);
        } catch (BadHead e) {
            boolean headRequest = "HEAD".equals(String.valueOf(frame.headers().method()));
            Exchange next = new Exchange(this, terms, headRequest, false);
            exchange = next;
            if (e.verdict(headRequest) instanceof Inbound.Refused(Refusal refusal, _)) {
                next.turnAway(refusal);
            } else {
                next.fail(next.ambiguity());
            }
        }
    }

    @Override
    public void updateDemand() {
        Exchange open = exchange;
        if (draining || open == null) {
            return;
        }
        draining = true;
        while (open.wantsInput() && (ended || !held.isEmpty())) {
            if (held.isEmpty()) {
                ended = false;
                open.bodyEnd();
            } else {
                take(open, held.remove());
            }
        }
        draining = false;
        if (open.wantsInput()) {
            channel().read();
        }
    }

    /// Takes ownership of the frame.
    private void take(Exchange open, Http2StreamFrame frame) {
        switch (frame) {
            case Http2DataFrame data -> data(open, data);
            case Http2HeadersFrame trailers -> trailers(open, trailers);
            default -> ReferenceCountUtil.release(frame);
        }
    }

    boolean isOn(@Nullable Http2FrameStream other) {
        return channel() instanceof Http2StreamChannel child && child.stream().equals(other);
    }

    boolean wantsInput() {
        Exchange open = exchange;
        return open != null && open.wantsInput();
    }

    void arrived() {
        waitingFrames++;
    }

    private void taken(int frames) {
        waitingFrames -= frames;
        connection.taken(frames);
    }

    /// Takes ownership of the frame.
    private void data(Exchange open, Http2DataFrame frame) {
        taken(1);
        ByteBuf bytes = frame.content();
        arrived += bytes.readableBytes();
        ended = frame.isEndStream();
        boolean tooLong = announced >= 0 && arrived > announced;
        boolean tooShort = announced >= 0 && ended && arrived < announced;
        if (tooLong || tooShort) {
            frame.release();
            open.fail(open.ambiguity());
        } else if (bytes.isReadable()) {
            open.piece(bytes);
        } else {
            frame.release();
        }
    }

    private void trailers(Exchange open, Http2HeadersFrame frame) {
        ended = frame.isEndStream();
        try {
            Map<String, String> fields =
                    Http2Head.trailers(frame.headers(), connection.terms().limits());
            if (!ended || arrived < announced) {
                throw BadHead.ambiguous();
            }
            open.trailers(fields);
        } catch (BadHead _) {
            open.fail(open.ambiguity());
        }
    }

    /// A stream whose body is paused is not told by the codec that it is over.
    void tick() {
        Exchange open = exchange;
        if (channel() instanceof Http2StreamChannel child
                && child.stream().state() == Http2Stream.State.CLOSED) {
            gone();
        } else if (open != null) {
            open.tick();
        }
    }

    /// The stream is over, or its connection is.
    void gone() {
        connection.ended(this);
        taken(waitingFrames);
        over(Refusal.SESSION_ENDED);
        letGo();
        var _ = channel().close();
    }

    private void over(Refusal reason) {
        Exchange open = exchange;
        if (open != null) {
            open.over(reason);
        }
    }

    private void letGo() {
        held.forEach(ReferenceCountUtil::release);
        held.clear();
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
        Exchange open = exchange;
        if (open != null) {
            open.writabilityChanged(ctx.channel().isWritable());
        }
    }

    /// The codec found a fault in the stream and resets it, or we failed.
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Exchange open = exchange;
        if (cause instanceof Http2Exception) {
            over(open == null ? connection.terms().log().ambiguous() : fault(open));
        } else {
            LOG.log(Level.ERROR, "a request failed inside the gateway", cause);
            over(Refusal.INTERNAL);
            cut(Refusal.INTERNAL);
        }
    }

    /// A client that has its answer may end the stream before its body is complete, as curl does
    /// after a refusal. The codec takes that for a wrong length; nobody reads that body any more.
    private Refusal fault(Exchange open) {
        return open.isAnswered() && arrived < announced ? Refusal.SESSION_ENDED : open.ambiguity();
    }

    @Override
    public Channel channel() {
        Channel current = stream;
        if (current == null) {
            throw new IllegalStateException("not in a pipeline yet");
        }
        return current;
    }

    @Override
    public void writeContinue() {
        Http2Headers head = new DefaultHttp2Headers().status("100");
        var _ = channel().writeAndFlush(new DefaultHttp2HeadersFrame(head));
    }

    @Override
    public void writeHead(
            int status,
            Map<String, String> fields,
            BodyFraming framing,
            boolean bodyFollows,
            boolean last) {
        Http2Headers head = new DefaultHttp2Headers().status(Integer.toString(status));
        fields.forEach(head::add);
        if (framing instanceof BodyFraming.Sized(long bytes)) {
            head.addLong("content-length", bytes);
        }
        unwritten = head;
    }

    /// A head waits until it is known whether anything follows: an answer without a body is one
    /// frame, and clients of gRPC take no other form of an error.
    private void writeOutHead() {
        Http2Headers head = unwritten;
        if (head != null) {
            unwritten = null;
            var _ = channel().write(new DefaultHttp2HeadersFrame(head));
        }
    }

    @Override
    public void writeBody(ByteBuf piece) {
        writeOutHead();
        var _ = channel().write(new DefaultHttp2DataFrame(piece));
    }

    @Override
    public ChannelFuture writeEnd(Map<String, String> trailers) {
        Http2Headers last = unwritten;
        if (last != null && trailers.isEmpty()) {
            unwritten = null;
            return channel().writeAndFlush(new DefaultHttp2HeadersFrame(last, true));
        }
        writeOutHead();
        if (trailers.isEmpty()) {
            return channel().writeAndFlush(new DefaultHttp2DataFrame(Unpooled.EMPTY_BUFFER, true));
        }
        Http2Headers fields = new DefaultHttp2Headers();
        trailers.forEach(fields::add);
        return channel().writeAndFlush(new DefaultHttp2HeadersFrame(fields, true));
    }

    @Override
    public void flush() {
        writeOutHead();
        channel().flush();
    }

    @Override
    public boolean isHttp2() {
        return true;
    }

    /// The codec closes a stream that has ended on both sides.
    @Override
    public void done() {}

    @Override
    public void stop() {
        reset(Http2Error.NO_ERROR);
    }

    @Override
    public void cut(Refusal reason) {
        boolean theirs = reason == Refusal.BAD_REQUEST || reason == Refusal.MALFORMED_BODY;
        Http2Error fault = theirs ? Http2Error.PROTOCOL_ERROR : Http2Error.INTERNAL_ERROR;
        reset(reason == Refusal.REQUEST_TIMEOUT ? Http2Error.CANCEL : fault);
    }

    private void reset(Http2Error error) {
        letGo();
        Channel current = channel();
        if (current.isActive()) {
            var _ = current.writeAndFlush(new DefaultHttp2ResetFrame(error));
            var _ = current.close();
        }
    }

    @Override
    public void rest() {
        connection.rest();
    }

    /// What is asked for as an upgrade is HTTP/1.1's.
    @Override
    public void writeLeave(int status, Map<String, String> fields) {
        throw new UnsupportedOperationException("a stream cannot leave HTTP");
    }

    @Override
    public void handOver(Successor successor) {
        throw new UnsupportedOperationException("a stream cannot leave HTTP");
    }
}
