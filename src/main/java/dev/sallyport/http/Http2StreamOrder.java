package dev.sallyport.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import java.util.LinkedHashMap;
import java.util.Map;

/// Streams begin in the order of their numbers and end once (RFC 9113, sections 5.1 and 5.1.1). The
/// codec forgets a stream that is over, and then takes either fault for a late frame of a stream
/// that we have reset, which costs the client nothing. This remembers which ended by themselves.
final class Http2StreamOrder implements Http2FrameWatch.Watcher {
    private static final int REMEMBERED_STREAMS_MAX = 256;

    /// By number: whether the client has said that nothing more comes.
    private final Map<Integer, Boolean> ended = new LinkedHashMap<>();

    private final boolean unbounded;
    private int highest;

    /// @param unbounded whether somebody else bounds how many streams there are
    Http2StreamOrder(boolean unbounded) {
        this.unbounded = unbounded;
    }

    @Override
    public void data(ChannelHandlerContext ctx, int stream, boolean endStream) {
        if (endStream) {
            ended.replace(stream, true);
        }
    }

    @Override
    public void head(ChannelHandlerContext ctx, int stream, boolean endStream) {
        Http2FrameCodec codec = (Http2FrameCodec) ctx.handler();
        if (stream > highest) {
            highest = stream;
            remember(stream, endStream);
            if (unbounded) {
                letBegin(codec);
            }
        } else if (ended.getOrDefault(stream, false)) {
            fail(ctx, Http2Error.STREAM_CLOSED);
        } else if (ended.containsKey(stream) || codec.connection().stream(stream) != null) {
            ended.replace(stream, endStream);
        } else {
            fail(ctx, Http2Error.PROTOCOL_ERROR);
        }
    }

    /// The codec does not even remember a stream that it refuses for being one too many, and takes
    /// whatever follows on it for a fault of the connection, such as the client's own reset. So
    /// [Http2Connection] refuses those, and the codec, which goes back to its limit when the client
    /// acknowledges it, none.
    private static void letBegin(Http2FrameCodec codec) {
        codec.connection().remote().maxActiveStreams(Integer.MAX_VALUE);
    }

    private void remember(int stream, boolean endStream) {
        ended.put(stream, endStream);
        if (ended.size() > REMEMBERED_STREAMS_MAX) {
            ended.remove(ended.keySet().iterator().next());
        }
    }

    private static void fail(ChannelHandlerContext ctx, Http2Error error) {
        Http2FrameWatch.fail(ctx, error, "a head on a stream that takes none");
    }
}
