package dev.sallyport.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameLogger;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.logging.LogLevel;

/// Shows frames to somebody before the codec acts upon them. It is a logger because that is where
/// the codec does so; it logs nothing.
public final class Http2FrameWatch extends Http2FrameLogger {
    /// Whoever looks at frames that arrive.
    public interface Watcher {
        void head(ChannelHandlerContext ctx, int stream, boolean endStream);

        void data(ChannelHandlerContext ctx, int stream, boolean endStream);

        default void reset(ChannelHandlerContext ctx, int stream) {}

        /// The other direction: a head is about to be sent.
        default void sent(int stream) {}

        /// A stream is about to be given up by us.
        default void resetSent(int stream) {}
    }

    private final Watcher watcher;

    public Http2FrameWatch(Watcher watcher) {
        super(LogLevel.TRACE, Http2FrameWatch.class);
        this.watcher = watcher;
    }

    /// The codec tells the other side and closes the connection.
    public static void fail(ChannelHandlerContext ctx, Http2Error error, String why) {
        Http2Exception fault = Http2Exception.connectionError(error, why);
        ((Http2FrameCodec) ctx.handler()).onError(ctx, false, fault);
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
            watcher.head(ctx, streamId, endStream);
        } else {
            watcher.sent(streamId);
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
        if (direction == Direction.INBOUND) {
            watcher.data(ctx, streamId, endStream);
        }
    }

    @Override
    public void logRstStream(
            Direction direction, ChannelHandlerContext ctx, int streamId, long errorCode) {
        if (direction == Direction.INBOUND) {
            watcher.reset(ctx, streamId);
        } else {
            watcher.resetSent(streamId);
        }
    }
}
