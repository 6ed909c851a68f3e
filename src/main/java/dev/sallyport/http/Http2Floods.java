package dev.sallyport.http;

import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Settings;

/// What every end of HTTP/2 here takes of frames that cost us more than those who send them
/// (CVE-2023-44487, CVE-2025-55163, CVE-2019-9512 and its kind).
public final class Http2Floods {
    private static final int HEADER_TABLE_BYTES = 4_096;
    private static final int QUEUED_CONTROL_FRAMES_MAX = 1_000;
    private static final int EMPTY_DATA_FRAMES_MAX = 2;
    private static final int SMALL_CONTINUATIONS_MAX = 16;

    private Http2Floods() {}

    /// How many streams may be reset, in either direction, within so many seconds.
    public record Resets(int max, int seconds) {}

    /// For a server: streams must begin in order and end once, too.
    public static Http2FrameCodec server(Http2Settings settings, Resets resets) {
        return server(settings, resets, new Http2StreamOrder(false));
    }

    static Http2FrameCodec server(Http2Settings settings, Resets resets, Http2StreamOrder order) {
        return bounded(Http2FrameCodecBuilder.forServer(), settings, resets)
                .frameLogger(new Http2FrameWatch(order))
                .validateRequiredPseudoHeaders(true)
                .build();
    }

    /// Everything but who watches the frames.
    public static Http2FrameCodecBuilder client(Http2Settings settings, Resets resets) {
        return bounded(Http2FrameCodecBuilder.forClient(), settings.pushEnabled(false), resets);
    }

    private static Http2FrameCodecBuilder bounded(
            Http2FrameCodecBuilder builder, Http2Settings settings, Resets resets) {
        return builder.initialSettings(settings.headerTableSize(HEADER_TABLE_BYTES))
                .validateHeaders(true)
                .gracefulShutdownTimeoutMillis(0)
                .encoderEnforceMaxQueuedControlFrames(QUEUED_CONTROL_FRAMES_MAX)
                .encoderEnforceMaxRstFramesPerWindow(resets.max(), resets.seconds())
                .decoderEnforceMaxRstFramesPerWindow(resets.max(), resets.seconds())
                .decoderEnforceMaxConsecutiveEmptyDataFrames(EMPTY_DATA_FRAMES_MAX)
                .decoderEnforceMaxSmallContinuationFrames(SMALL_CONTINUATIONS_MAX);
    }
}
