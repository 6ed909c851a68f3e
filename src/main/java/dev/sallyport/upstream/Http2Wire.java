package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Requests and answers of HTTP/2 (RFC 9113) of one connection, one stream at a time. Frames are
/// the codec's, what is in them is judged as in HTTP/1.1 ([Http2Fields], [StreamAnswer]).
///
/// An answer is held back by its window, not by not reading: the host's leave to send more of a
/// request, which may flow at the same time, arrives on the same channel, and so do the answers to
/// others. What a host may send ahead is copied into one buffer, because small frames cost us a
/// hundred times their size.
final class Http2Wire implements UpstreamWire {
    private final Http2Link link;
    private final Channel channel;
    private final Connection connection;
    private final Limits.Upstream limits;
    private @Nullable Http2FrameStream stream;
    private StreamAnswer answer;
    private boolean requestEnded;
    private boolean cutByHost;
    private boolean wanted = true;

    /// Whether all that was asked has been answered as it should be.
    private boolean done = true;

    /// Bytes of the window that the host has not been given back.
    private int taken;

    private ByteBuf held = Unpooled.EMPTY_BUFFER;

    Http2Wire(Http2Link link, Connection connection, Limits.Upstream limits) {
        this.link = link;
        this.channel = link.channel();
        this.connection = connection;
        this.limits = limits;
        this.answer = new StreamAnswer(limits, false);
    }

    Http2Link link() {
        return link;
    }

    Connection connection() {
        return connection;
    }

    @Override
    public void begin(HttpRequest head, boolean bodyFollows) {
        answer = new StreamAnswer(limits, head.method().equals(HttpMethod.HEAD));
        requestEnded = !bodyFollows;
        wanted = true;
        done = false;
        cutByHost = false;
        taken = 0;
        Http2FrameStream next = link.open(this, Optional.ofNullable(stream));
        stream = next;
        channel.write(
                        new DefaultHttp2HeadersFrame(Http2Fields.request(head), requestEnded)
                                .stream(next))
                .addListener(
                        written -> {
                            // A host that takes no stream, or no head as long as this one.
                            if (!written.isSuccess() && next.equals(stream)) {
                                unwritten(written.cause());
                            }
                        });
        if (requestEnded) {
            flush();
        }
    }

    private void unwritten(Throwable cause) {
        if (cause instanceof IOException) {
            connection.lost();
        } else {
            connection.misbehaved();
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
        return stream != null && link.isWritable(stream);
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
        if (wanted && !connection.isOver()) {
            letGo();
            giveBack();
            channel.flush();
        }
    }

    @Override
    public boolean isAnswerComplete() {
        return answer.isSizedBodyComplete();
    }

    /// One connection is enough to keep a channel; others can be made when they are needed.
    @Override
    public boolean rest() {
        done = isOver() && !link.isLeaving();
        return done && link.isAlone();
    }

    /// The codec ends the stream after it has told us of its last frame.
    private boolean isOver() {
        Http2Stream.State state = stream == null ? Http2Stream.State.CLOSED : stream.state();
        return state == Http2Stream.State.CLOSED
                || (state == Http2Stream.State.HALF_CLOSED_LOCAL && answer.isEnded());
    }

    @Override
    public boolean isWholeAtClose(boolean clean) {
        return false;
    }

    /// A frame of its stream.
    void arrived(Http2StreamFrame frame) {
        if (connection.isOver()) {
            ReferenceCountUtil.release(frame);
            return;
        }
        switch (frame) {
            case Http2HeadersFrame headers -> headers(headers);
            case Http2DataFrame data -> data(data);
            case Http2ResetFrame _ -> reset();
            default -> ReferenceCountUtil.release(frame);
        }
    }

    private void reset() {
        cutByHost = true;
        link.leave();
        if (connection.isAsked()) {
            connection.lost();
        }
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
            held = channel.alloc().buffer(bytes.readableBytes(), Http2Link.WINDOW_BYTES);
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

    /// @param last the last stream that the host has begun
    void hostLeaves(int last) {
        boolean served = stream != null && stream.id() <= last;
        if (!connection.isAsked() || !served) {
            connection.lost();
        }
    }

    /// A WebSocket is asked for over HTTP/1.1.
    @Override
    public ByteBuf leave() {
        throw new IllegalStateException("a stream cannot leave HTTP");
    }

    @Override
    public boolean release() {
        held.release();
        held = Unpooled.EMPTY_BUFFER;
        if (!done) {
            link.leave();
        }
        return link.part(this, Optional.ofNullable(stream), !isOver() && !cutByHost);
    }
}
