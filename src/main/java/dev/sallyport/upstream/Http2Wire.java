package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.http.Http2Floods;
import dev.sallyport.http.Http2FrameWatch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2FrameStreamEvent;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Requests and answers of HTTP/2 (RFC 9113), one stream at a time. Frames are the codec's, what is
/// in them is judged as in HTTP/1.1 ([Http2Fields], [StreamAnswer]).
///
/// An answer is held back by its window, not by not reading: the host's leave to send more of a
/// request, which may flow at the same time, arrives on the same connection. What a host may send
/// ahead is copied into one buffer, because small frames cost us a hundred times their size.
final class Http2Wire extends Http2ChannelDuplexHandler implements UpstreamWire {
    /// What of an answer is here at most that the sandbox does not take.
    static final int WINDOW_BYTES = 256 * 1_024;

    private static final int FIRST_WINDOW_BYTES = 65_535;
    private static final int FRAME_BYTES_MAX = 16_384;
    private static final Http2Floods.Resets RESETS = new Http2Floods.Resets(20, 30);

    private final Channel channel;
    private final Connection connection;
    private final Limits.Upstream limits;
    private final Http2FrameCodec codec;
    private @Nullable Http2FrameStream stream;
    private StreamAnswer answer;
    private boolean requestEnded;
    private boolean goingAway;
    private boolean wanted = true;

    /// Bytes of the window that the host has not been given back.
    private int taken;

    private ByteBuf held = Unpooled.EMPTY_BUFFER;

    private Http2Wire(Channel channel, Connection connection, Limits.Upstream limits) {
        this.channel = channel;
        this.connection = connection;
        this.limits = limits;
        this.codec = codec(limits);
        this.answer = new StreamAnswer(limits, false);
    }

    /// Puts its handlers before the connection's, and opens HTTP/2.
    static Http2Wire on(Channel channel, Connection connection, Limits.Upstream limits) {
        Http2Wire wire = new Http2Wire(channel, connection, limits);
        channel.pipeline()
                .addBefore(Connection.HANDLER, "frames", wire.codec)
                .addBefore(Connection.HANDLER, "answer", wire);
        var _ =
                channel.writeAndFlush(
                        new DefaultHttp2WindowUpdateFrame(WINDOW_BYTES - FIRST_WINDOW_BYTES));
        return wire;
    }

    /// No field is remembered for the next request: what a host says about its table costs us
    /// nothing, and nobody can learn by guessing which fields came before.
    private static Http2FrameCodec codec(Limits.Upstream limits) {
        Http2Settings settings =
                Http2Settings.defaultSettings()
                        .maxHeaderListSize(limits.headBytesMax())
                        .initialWindowSize(WINDOW_BYTES)
                        .maxFrameSize(FRAME_BYTES_MAX);
        return Http2Floods.client(settings, RESETS)
                .frameLogger(new Http2FrameWatch(new OneStream()))
                .headerSensitivityDetector(Http2HeadersEncoder.ALWAYS_SENSITIVE)
                .build();
    }

    @Override
    public void begin(HttpRequest head, boolean bodyFollows) {
        answer = new StreamAnswer(limits, head.method().equals(HttpMethod.HEAD));
        requestEnded = !bodyFollows;
        wanted = true;
        taken = 0;
        Http2FrameStream next = newStream();
        stream = next;
        channel.write(
                        new DefaultHttp2HeadersFrame(Http2Fields.request(head), requestEnded)
                                .stream(next))
                .addListener(
                        written -> {
                            // A host that takes no stream, or no head as long as this one.
                            if (!written.isSuccess() && next.equals(stream)) {
                                connection.misbehaved();
                            }
                        });
        if (requestEnded) {
            flush();
        }
    }

    @Override
    public void flush() {
        channel.flush();
    }

    private Http2FrameStream stream() {
        Http2FrameStream current = stream;
        if (current == null) {
            throw new IllegalStateException("nothing was asked yet");
        }
        return current;
    }

    @Override
    public void write(ByteBuf piece) {
        var _ = channel.writeAndFlush(new DefaultHttp2DataFrame(piece).stream(stream()));
    }

    @Override
    public void end(Map<String, String> trailers) {
        if (requestEnded) {
            return;
        }
        requestEnded = true;
        Http2StreamFrame last =
                trailers.isEmpty()
                        ? new DefaultHttp2DataFrame(Unpooled.EMPTY_BUFFER, true)
                        : new DefaultHttp2HeadersFrame(Http2Fields.trailers(trailers), true);
        var _ = channel.writeAndFlush(last.stream(stream()));
    }

    @Override
    public boolean isWritable() {
        Http2Stream open = stream == null ? null : codec.connection().stream(stream.id());
        return open != null && codec.connection().remote().flowController().isWritable(open);
    }

    @Override
    public void reading(boolean wanted) {
        this.wanted = wanted;
        if (wanted && taken > 0) {
            channel.eventLoop().execute(this::readOn);
        }
    }

    /// Later, because whoever wants more does not get it from inside of saying so.
    private void readOn() {
        if (wanted) {
            letGo();
            giveBack();
            channel.flush();
        }
    }

    @Override
    public boolean isAnswerComplete() {
        return answer.isSizedBodyComplete();
    }

    /// The codec ends the stream after it has told us of its last frame.
    @Override
    public boolean rest() {
        Http2Stream.State state = stream().state();
        boolean over =
                state == Http2Stream.State.HALF_CLOSED_LOCAL || state == Http2Stream.State.CLOSED;
        return over && !goingAway;
    }

    @Override
    public boolean isWholeAtClose(boolean clean) {
        return false;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        boolean ours = message instanceof Http2StreamFrame frame && isCurrent(frame);
        if (connection.isOver()) {
            ReferenceCountUtil.release(message);
            return;
        }
        switch (message) {
            case Http2HeadersFrame headers when ours -> headers(headers);
            case Http2DataFrame data when ours -> data(data);
            case Http2ResetFrame _ when ours && connection.isAsked() -> connection.lost();
            case Http2GoAwayFrame leaving -> goAway(leaving);
            default -> ReferenceCountUtil.release(message);
        }
    }

    private boolean isCurrent(Http2StreamFrame frame) {
        return stream != null && stream.equals(frame.stream());
    }

    private void headers(Http2HeadersFrame frame) {
        connection.heard();
        try {
            AnswerPart part = answer.headers(frame.headers(), frame.isEndStream());
            letGo();
            connection.part(part);
            endIf(frame.isEndStream());
        } catch (BadAnswerException _) {
            connection.misbehaved();
        }
    }

    private void data(Http2DataFrame frame) {
        connection.heard();
        ByteBuf bytes = frame.content();
        taken += frame.initialFlowControlledBytes();
        try {
            answer.data(bytes.readableBytes(), frame.isEndStream());
        } catch (BadAnswerException _) {
            frame.release();
            connection.misbehaved();
            return;
        }
        if (wanted && !held.isReadable()) {
            connection.part(new AnswerPart.Piece(bytes));
            giveBack();
        } else {
            hold(bytes);
        }
        endIf(frame.isEndStream());
    }

    private void hold(ByteBuf bytes) {
        if (!held.isReadable() && bytes.isReadable()) {
            held = channel.alloc().buffer(bytes.readableBytes(), WINDOW_BYTES);
        }
        held.writeBytes(bytes);
        bytes.release();
    }

    private void letGo() {
        ByteBuf piece = held;
        held = Unpooled.EMPTY_BUFFER;
        if (piece.isReadable()) {
            connection.part(new AnswerPart.Piece(piece));
        }
    }

    private void giveBack() {
        if (wanted && taken > 0 && !connection.isOver()) {
            int bytes = taken;
            taken = 0;
            var _ = channel.write(new DefaultHttp2WindowUpdateFrame(bytes).stream(stream()));
        }
    }

    private void endIf(boolean ended) {
        if (ended) {
            letGo();
            connection.part(new AnswerPart.End());
        }
    }

    /// What the host has begun it may complete.
    private void goAway(Http2GoAwayFrame frame) {
        goingAway = true;
        boolean served = stream != null && stream.id() <= frame.lastStreamId();
        frame.release();
        if (!connection.isAsked() || !served) {
            connection.lost();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Http2FrameStreamEvent change
                && change.type() == Http2FrameStreamEvent.Type.Writability
                && change.stream().equals(stream)) {
            connection.writabilityChanged();
        }
        ctx.fireUserEventTriggered(event);
    }

    /// A WebSocket is asked for over HTTP/1.1.
    @Override
    public ByteBuf leave() {
        throw new IllegalStateException("a stream cannot leave HTTP");
    }

    @Override
    public void release() {
        held.release();
        held = Unpooled.EMPTY_BUFFER;
    }
}
