package dev.sallyport.http;

import dev.sallyport.config.Limits;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One HTTP/2 connection of one sandbox: its clock, and the end of all its requests when it ends.
/// Each stream carries one request to the same door that HTTP/1.1 requests go to; see
/// [Http2Request].
///
/// What a sandbox can make us keep is bounded: bodies by the flow-control windows and the number of
/// their frames, heads by their number and size, answers by the writability of each stream and the
/// places of requests, and everything else by [Http2Floods].
public final class Http2Connection extends ChannelDuplexHandler {
    /// What clients take for the limit until they have read ours (RFC 9113, section 6.5.2), and so
    /// the least that does not make them open another connection for what is more, with handshakes
    /// on both sides: cargo begins so many at once. Those that get no place wait in line.
    private static final int STREAMS_MAX = 100;

    private static final int STREAM_WINDOW_BYTES = 65_535;
    private static final int CONNECTION_WINDOW_BYTES = 4 * STREAM_WINDOW_BYTES;
    private static final int FRAME_BYTES_MAX = 16_384;

    /// A head that is too large is refused and recorded by us, if it is not far too large; the
    /// codec would do neither.
    private static final int LISTS_PER_HEAD = 2;

    /// Frames of bodies that wait for their requests. One costs us a hundred times its smallest
    /// size, which is all that the windows count.
    private static final int WAITING_FRAMES_MAX = 2_048;

    private static final Http2Floods.Resets RESETS = new Http2Floods.Resets(200, 30);

    private final ConnectionTerms terms;
    private final Set<Http2Request> requests = new LinkedHashSet<>();
    private @Nullable ChannelHandlerContext context;
    private @Nullable Future<?> ticks;
    private int secondsLeft;
    private int restSeconds;
    private int waitingFrames;
    private boolean readHeld;

    private Http2Connection(ConnectionTerms terms) {
        this.terms = terms;
        this.secondsLeft = terms.limits().headSecondsMax();
    }

    /// Appends the handlers, in wire order. The channel's auto-read is off; the codec asks for more
    /// by itself.
    public static void addTo(ChannelPipeline pipeline, ConnectionTerms terms) {
        Http2Connection connection = new Http2Connection(terms);
        pipeline.addLast("http2-connection", connection)
                .addLast("http2-frames", codec(terms))
                .addLast("http2-waiting", connection.new Waiting())
                .addLast("http2-streams", new Http2MultiplexHandler(connection.new Streams()))
                .addLast("http2-leftovers", connection.new Leftovers());
        var _ =
                pipeline.writeAndFlush(
                        new DefaultHttp2WindowUpdateFrame(
                                CONNECTION_WINDOW_BYTES - STREAM_WINDOW_BYTES));
        pipeline.read();
    }

    private static Http2FrameCodec codec(ConnectionTerms terms) {
        Limits.Http limits = terms.limits();
        return Http2Floods.server(
                Http2Settings.defaultSettings()
                        .maxConcurrentStreams(STREAMS_MAX)
                        .maxHeaderListSize((long) LISTS_PER_HEAD * limits.headBytesMax())
                        .initialWindowSize(STREAM_WINDOW_BYTES)
                        .maxFrameSize(FRAME_BYTES_MAX),
                RESETS,
                new Http2StreamOrder(true));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        Spare.mark(ctx.channel(), false);
        ticks = ctx.executor().scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    private void tick() {
        restSeconds = Math.max(0, restSeconds - 1);
        ChannelHandlerContext ctx = context;
        if (ctx == null) {
            return;
        }
        if (restSeconds == 0 && readHeld) {
            readHeld = false;
            ctx.read();
        }
        List.copyOf(requests).forEach(Http2Request::tick);
        if (requests.isEmpty() && --secondsLeft <= 0) {
            var _ = ctx.channel().close();
        }
    }

    /// A sandbox that asks too much is not read from for a moment, as with HTTP/1.1.
    void rest() {
        restSeconds = 1;
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        if (restSeconds > 0) {
            readHeld = true;
        } else {
            ctx.read();
        }
    }

    ConnectionTerms terms() {
        return terms;
    }

    void began(Http2Request request) {
        requests.add(request);
        markSpare();
    }

    /// Whether the latest request is one too many.
    boolean isOverfull() {
        return requests.size() > STREAMS_MAX;
    }

    void ended(Http2Request request) {
        requests.remove(request);
        secondsLeft = terms.limits().keepAliveSecondsMax();
        markSpare();
    }

    /// So many frames wait no longer.
    void taken(int frames) {
        waitingFrames -= frames;
    }

    private void markSpare() {
        ChannelHandlerContext ctx = context;
        if (ctx != null && requests.isEmpty()) {
            Spare.mark(ctx.channel(), true);
        } else if (ctx != null) {
            Spare.clear(ctx.channel());
        }
    }

    /// A stream whose body is paused is not told by the codec that it is over.
    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        end();
    }

    private void end() {
        Future<?> running = ticks;
        if (running != null) {
            running.cancel(false);
        }
        List.copyOf(requests).forEach(Http2Request::gone);
    }

    /// Sees the frames of bodies before they wait in their streams.
    private final class Waiting extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ctx.fireChannelRead(
                    message instanceof Http2DataFrame data ? counted(ctx, data) : message);
        }

        /// What has to wait would keep the whole buffer in which it came.
        private Http2DataFrame counted(ChannelHandlerContext ctx, Http2DataFrame data) {
            for (Http2Request request : requests) {
                if (request.isOn(data.stream())) {
                    waitingFrames++;
                    request.arrived();
                    return request.wantsInput() ? data : held(ctx, data);
                }
            }
            return data;
        }

        private Http2DataFrame held(ChannelHandlerContext ctx, Http2DataFrame data) {
            if (waitingFrames > WAITING_FRAMES_MAX) {
                fail(ctx);
            }
            return copied(data);
        }

        private Http2DataFrame copied(Http2DataFrame data) {
            try {
                return new DefaultHttp2DataFrame(
                                data.content().copy(), data.isEndStream(), data.padding())
                        .stream(data.stream());
            } finally {
                data.release();
            }
        }

        /// The codec tells the client and closes the connection.
        private void fail(ChannelHandlerContext ctx) {
            ChannelHandlerContext frames = ctx.pipeline().context(Http2FrameCodec.class);
            ((Http2FrameCodec) frames.handler())
                    .onError(
                            frames,
                            false,
                            Http2Exception.connectionError(
                                    Http2Error.ENHANCE_YOUR_CALM, "too many small frames wait"));
        }
    }

    /// Gives each stream its handler.
    private final class Streams extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel stream) {
            stream.pipeline().addLast("request", new Http2Request(Http2Connection.this));
        }
    }

    /// Frames that concern the whole connection have been acted on by the codec. So are faults of
    /// HTTP/2, about which the codec tells the client before it closes, and which are recorded as
    /// those of HTTP/1.1 are; whatever else fails ends the connection here.
    private final class Leftovers extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (cause instanceof Http2Exception) {
                terms.log().ambiguous();
            } else {
                var _ = ctx.close();
            }
        }
    }
}
