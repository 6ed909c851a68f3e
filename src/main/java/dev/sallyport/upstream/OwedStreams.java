package dev.sallyport.upstream;

import dev.sallyport.http.Http2FrameWatch;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import java.util.HashSet;
import java.util.Set;

/// Holds a host to the streams that were opened, each until its answer has ended. To the codec a
/// frame of one that is over is late, and is ignored; to us it is what nobody asked for, and ends
/// the connection as it does with HTTP/1.1. Only what we gave up may go on for a moment, because
/// the host does not know yet.
final class OwedStreams implements Http2FrameWatch.Watcher {
    /// Twice what the windows of all streams have room for; who sends more does not want to stop.
    static final int LATE_FRAMES_MAX =
            2 * Http2Link.STREAMS_MAX * Http2Link.WINDOW_BYTES / Http2Link.FRAME_BYTES_MAX;

    private final Set<Integer> owed = new HashSet<>();
    private final Set<Integer> givenUp = new HashSet<>();
    private int last;
    private int resets;
    private int lateFrames;

    @Override
    public void sent(int opened) {
        if (opened > last) {
            last = opened;
            owed.add(opened);
        }
    }

    /// No stream is opened on a channel after this, so they are few.
    @Override
    public void resetSent(int stream) {
        if (owed.remove(stream)) {
            givenUp.add(stream);
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

    /// The codec counts those of streams that it knows.
    @Override
    public void reset(ChannelHandlerContext ctx, int of) {
        owed.remove(of);
        givenUp.remove(of);
        if (++resets > Http2Link.STREAMS_MAX) {
            fail(ctx, Http2Error.ENHANCE_YOUR_CALM);
        }
    }

    private void arrived(ChannelHandlerContext ctx, int of, boolean endStream) {
        boolean late = givenUp.contains(of);
        if ((!late && !owed.contains(of)) || (late && ++lateFrames > LATE_FRAMES_MAX)) {
            fail(ctx, Http2Error.STREAM_CLOSED);
        } else if (endStream) {
            owed.remove(of);
            givenUp.remove(of);
        }
    }

    private static void fail(ChannelHandlerContext ctx, Http2Error error) {
        Http2FrameWatch.fail(ctx, error, "a frame that nobody awaits");
    }
}
