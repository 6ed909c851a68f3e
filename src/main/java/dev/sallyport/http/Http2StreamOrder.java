package dev.sallyport.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameLogger;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.logging.LogLevel;
import java.util.LinkedHashMap;
import java.util.Map;

/// Streams begin in the order of their numbers and end once (RFC 9113, sections 5.1 and 5.1.1). The
/// codec forgets a stream that is over, and then takes either fault for a late frame of a stream
/// that we have reset, which costs the client nothing. This remembers which ended by themselves.
///
/// It is a logger because that is where the codec shows a frame before it acts upon it; it logs
/// nothing.
final class Http2StreamOrder extends Http2FrameLogger {
    private static final int REMEMBERED_STREAMS_MAX = 256;

    /// By number: whether the client has said that nothing more comes.
    private final Map<Integer, Boolean> ended = new LinkedHashMap<>();

    private int highest;

    Http2StreamOrder() {
        super(LogLevel.TRACE, Http2StreamOrder.class);
    }

    @Override
    public boolean isEnabled() {
        return false;
    }

    @Override
    public void logHeaders(
            Direction direction,
            ChannelHandlerContext ctx,
            int streamId,
            Http2Headers headers,
            int padding,
            boolean endStream) {
        if (direction == Direction.INBOUND) {
            head(ctx, streamId, endStream);
        }
    }

    @Override
    public void logHeaders(
            Direction direction,
            ChannelHandlerContext ctx,
            int streamId,
            Http2Headers headers,
            int streamDependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean endStream) {
        logHeaders(direction, ctx, streamId, headers, padding, endStream);
    }

    @Override
    public void logData(
            Direction direction,
            ChannelHandlerContext ctx,
            int streamId,
            ByteBuf data,
            int padding,
            boolean endStream) {
        if (direction == Direction.INBOUND && endStream) {
            ended.replace(streamId, true);
        }
    }

    private void head(ChannelHandlerContext ctx, int stream, boolean endStream) {
        Http2FrameCodec codec = (Http2FrameCodec) ctx.handler();
        if (stream > highest) {
            highest = stream;
            remember(stream, endStream);
        } else if (ended.getOrDefault(stream, false)) {
            fail(codec, ctx, Http2Error.STREAM_CLOSED);
        } else if (ended.containsKey(stream) || codec.connection().stream(stream) != null) {
            ended.replace(stream, endStream);
        } else {
            fail(codec, ctx, Http2Error.PROTOCOL_ERROR);
        }
    }

    private void remember(int stream, boolean endStream) {
        ended.put(stream, endStream);
        if (ended.size() > REMEMBERED_STREAMS_MAX) {
            ended.remove(ended.keySet().iterator().next());
        }
    }

    /// The codec tells the client and closes the connection.
    private static void fail(Http2FrameCodec codec, ChannelHandlerContext ctx, Http2Error error) {
        Http2Exception fault =
                Http2Exception.connectionError(error, "a head on a stream that takes none");
        codec.onError(ctx, false, fault);
    }
}
