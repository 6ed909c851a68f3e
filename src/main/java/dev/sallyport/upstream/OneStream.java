package dev.sallyport.upstream;

import dev.sallyport.http.Http2FrameWatch;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;

/// Holds a host to the stream that was opened last, until its answer has ended. To the codec a
/// frame of one that is over is late, and is ignored; to us it is what nobody asked for, and ends
/// the connection as it does with HTTP/1.1.
final class OneStream implements Http2FrameWatch.Watcher {
    private static final int RESETS_MAX = 20;

    private int stream;
    private int resets;
    private boolean owed;

    @Override
    public void sent(int opened) {
        if (opened != stream) {
            stream = opened;
            owed = true;
        }
    }

    @Override
    public void head(ChannelHandlerContext ctx, int of, boolean endStream) {
        arrived(ctx, of, endStream);
    }

    @Override
    public void data(ChannelHandlerContext ctx, int of, boolean endStream) {
        arrived(ctx, of, endStream);
    }

    /// The codec counts those of streams that it knows, and the first of ours ends the connection.
    @Override
    public void reset(ChannelHandlerContext ctx) {
        if (++resets > RESETS_MAX) {
            fail(ctx, Http2Error.ENHANCE_YOUR_CALM);
        }
    }

    private void arrived(ChannelHandlerContext ctx, int of, boolean endStream) {
        if (owed && of == stream) {
            owed = !endStream;
        } else {
            fail(ctx, Http2Error.STREAM_CLOSED);
        }
    }

    private static void fail(ChannelHandlerContext ctx, Http2Error error) {
        Http2FrameWatch.fail(ctx, error, "a frame that nobody awaits");
    }
}
