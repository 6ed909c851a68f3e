package dev.sallyport.carry;

import dev.sallyport.http.Http2Floods;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;

/// HTTP/2 of one connection between a machine with sandboxes and the gateway, and how much the
/// other side may send ahead on it.
///
/// A stream whose reader pauses keeps what is in its window from nobody else: the connection's
/// window has room for all of them together. A stream whose reader keeps up gets a larger window
/// step by step, for the sake of long ways, as long as the connection has some to give.
final class CarryFrames {
    static final int STREAMS_MAX = 256;
    static final int WINDOW_BYTES = 64 * 1_024;
    static final int WINDOW_BYTES_MAX = 1_024 * 1_024;

    /// What all streams of a connection together have beyond their first windows.
    private static final int SPARE_BYTES = 16 * 1_024 * 1_024;

    private static final int FRAME_BYTES_MAX = 64 * 1_024;
    private static final int HEAD_BYTES_MAX = 1_024;

    /// A program may reset each of its connections.
    private static final Http2Floods.Resets RESETS = new Http2Floods.Resets(2_000, 10);

    private final Http2FrameCodec codec;
    private int spareBytes = SPARE_BYTES;

    private CarryFrames(Http2FrameCodec codec) {
        this.codec = codec;
    }

    static CarryFrames ofServer() {
        return new CarryFrames(
                Http2Floods.server(settings().maxConcurrentStreams(STREAMS_MAX), RESETS));
    }

    static CarryFrames ofClient() {
        return new CarryFrames(
                Http2Floods.client(settings().maxConcurrentStreams(0), RESETS).build());
    }

    private static Http2Settings settings() {
        return Http2Settings.defaultSettings()
                .maxHeaderListSize(HEAD_BYTES_MAX)
                .initialWindowSize(WINDOW_BYTES)
                .maxFrameSize(FRAME_BYTES_MAX);
    }

    /// Appends the codec, which opens HTTP/2.
    void addTo(ChannelPipeline pipeline) {
        pipeline.addLast("frames", codec);
        int whole = STREAMS_MAX * WINDOW_BYTES + SPARE_BYTES;
        var _ =
                pipeline.writeAndFlush(
                        new DefaultHttp2WindowUpdateFrame(
                                whole - Http2CodecUtil.DEFAULT_WINDOW_SIZE));
    }

    /// How many streams the other side takes at once.
    int streamsMax() {
        return Math.min(STREAMS_MAX, codec.connection().local().maxActiveStreams());
    }

    /// The window of one stream, at the end that reads.
    Window window(Http2StreamChannel stream) {
        return new Window(stream);
    }

    final class Window {
        private final Http2StreamChannel channel;
        private int bytes = WINDOW_BYTES;
        private int takenBytes;
        private boolean closed;

        private Window(Http2StreamChannel channel) {
            this.channel = channel;
        }

        /// Bytes of the stream have a reader, so as many more may come.
        ///
        /// @param keepsUp whether nothing waits
        void taken(int count, boolean keepsUp) {
            if (count == 0 || !channel.isActive()) {
                return;
            }
            var _ = channel.write(new DefaultHttp2WindowUpdateFrame(count));
            takenBytes += count;
            if (!keepsUp) {
                takenBytes = 0;
            } else if (takenBytes >= bytes) {
                takenBytes = 0;
                grow();
            }
        }

        private void grow() {
            Http2Stream stream = codec.connection().stream(channel.stream().id());
            if (closed || stream == null || bytes >= WINDOW_BYTES_MAX || spareBytes < bytes) {
                return;
            }
            Http2LocalFlowController flow = codec.connection().local().flowController();
            try {
                flow.incrementWindowSize(stream, bytes);
                spareBytes -= bytes;
                bytes *= 2;
            } catch (Http2Exception _) {
                // It stays as it is.
            }
        }

        void close() {
            if (!closed) {
                closed = true;
                spareBytes += bytes - WINDOW_BYTES;
            }
        }
    }
}
