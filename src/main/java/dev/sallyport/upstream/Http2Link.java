package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.http.Http2Floods;
import dev.sallyport.http.Http2FrameWatch;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2FrameStreamEvent;
import io.netty.handler.codec.http2.Http2FrameStreamException;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The channel under one or several [Connection]s that speak HTTP/2 with a host, each with one
/// stream at a time ([Http2Wire]). All of them have the same key, so they belong to one connection
/// of a sandbox (ADR 29). On one event loop.
///
/// Whatever is wrong with one stream, ours or the host's doing, ends only that one; but no other is
/// opened here after it. What is wrong with frames or with TLS ends them all.
final class Http2Link extends Http2ChannelDuplexHandler {
    /// As many as a sandbox may have requests in flight.
    static final int STREAMS_MAX = 64;

    /// What of an answer is here at most that the sandbox does not take.
    static final int WINDOW_BYTES = 256 * 1_024;

    /// Of all streams together. The codec gives back what was read when it is half of it, so with
    /// less than twice as much those that nobody reads could hold up the others.
    private static final int ALL_WINDOWS_BYTES = 2 * STREAMS_MAX * WINDOW_BYTES;

    private static final int FIRST_WINDOW_BYTES = 65_535;
    static final int FRAME_BYTES_MAX = 16_384;

    /// The codec answers each late frame of a stream that we gave up with another reset.
    private static final Http2Floods.Resets RESETS =
            new Http2Floods.Resets(STREAMS_MAX + OwedStreams.LATE_FRAMES_MAX, 30);

    private final Channel channel;
    private final Http2FrameCodec codec;
    private final Set<Http2Wire> served = new LinkedHashSet<>();
    private final Map<Http2FrameStream, Http2Wire> streams = new HashMap<>();
    private Optional<Runnable> settling = Optional.empty();
    private boolean settled;
    private boolean leaving;

    private Http2Link(Channel channel, Limits.Upstream limits) {
        this.channel = channel;
        this.codec = codec(limits);
    }

    /// Puts its handlers before the connection's, and opens HTTP/2.
    ///
    /// @param first the connection that was made for it
    static Http2Wire on(Channel channel, Connection first, Limits.Upstream limits) {
        Http2Link link = new Http2Link(channel, limits);
        channel.pipeline()
                .addBefore(Connection.HANDLER, "frames", link.codec)
                .addBefore(Connection.HANDLER, "answer", link);
        var _ =
                channel.writeAndFlush(
                        new DefaultHttp2WindowUpdateFrame(ALL_WINDOWS_BYTES - FIRST_WINDOW_BYTES));
        return link.join(first);
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
                .frameLogger(new Http2FrameWatch(new OwedStreams()))
                .headerSensitivityDetector(Http2HeadersEncoder.ALWAYS_SENSITIVE)
                .build();
    }

    /// Whether another connection can have a stream here. How many the host takes is known when it
    /// has sent its settings.
    boolean hasRoom() {
        return settled
                && !leaving
                && served.size() < STREAMS_MAX
                && codec.connection().local().canOpenStream();
    }

    /// Whether a stream is open for somebody, so that the host does not close it for being idle.
    boolean isBusy() {
        return served.stream().map(Http2Wire::connection).anyMatch(Connection::isAsked);
    }

    /// The settings are a part of the handshake, and have to come in time.
    ///
    /// @param step taken once, when the host has sent them, is late, or the channel is over
    void whenSettled(int secondsMax, Runnable step) {
        if (settled) {
            step.run();
            return;
        }
        settling = Optional.of(step);
        var _ = channel.eventLoop().schedule(this::expired, secondsMax, TimeUnit.SECONDS);
    }

    private void expired() {
        if (!settled) {
            leave();
            settle();
        }
    }

    Http2Wire join(Connection connection) {
        Http2Wire wire = new Http2Wire(this, connection, connection.limits());
        served.add(wire);
        return wire;
    }

    Channel channel() {
        return channel;
    }

    /// @param last the stream that it had before
    Http2FrameStream open(Http2Wire wire, Optional<Http2FrameStream> last) {
        last.ifPresent(streams::remove);
        Http2FrameStream stream = newStream();
        streams.put(stream, wire);
        return stream;
    }

    boolean isWritable(Http2FrameStream stream) {
        Http2Stream open = codec.connection().stream(stream.id());
        return open != null && codec.connection().remote().flowController().isWritable(open);
    }

    boolean isLeaving() {
        return leaving;
    }

    /// No stream is opened after this.
    void leave() {
        leaving = true;
    }

    /// Whether nobody else is served here.
    boolean isAlone() {
        return served.size() == 1;
    }

    /// A connection is over.
    ///
    /// @param stream the last that it had
    /// @param cut whether the host still has to learn that it is over
    /// @return whether it was the last one, so that the channel can be closed
    boolean part(Http2Wire wire, Optional<Http2FrameStream> stream, boolean cut) {
        served.remove(wire);
        stream.ifPresent(streams::remove);
        if (served.isEmpty()) {
            leave();
        } else if (cut && channel.isActive()) {
            stream.ifPresent(this::reset);
        }
        return served.isEmpty();
    }

    private void reset(Http2FrameStream stream) {
        if (Http2CodecUtil.isStreamIdValid(stream.id())) {
            var _ =
                    channel.writeAndFlush(
                            new DefaultHttp2ResetFrame(Http2Error.CANCEL).stream(stream));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        switch (message) {
            case Http2StreamFrame frame when streams.containsKey(frame.stream()) ->
                    streams.get(frame.stream()).arrived(frame);
            case Http2GoAwayFrame leave -> goAway(leave);
            case Http2SettingsFrame _ -> settle();
            default -> ReferenceCountUtil.release(message);
        }
    }

    private void settle() {
        settled = true;
        Optional<Runnable> step = settling;
        settling = Optional.empty();
        step.ifPresent(Runnable::run);
    }

    /// What the host has begun it may complete.
    private void goAway(Http2GoAwayFrame frame) {
        leave();
        int last = frame.lastStreamId();
        frame.release();
        List.copyOf(served).forEach(wire -> wire.hostLeaves(last));
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Http2FrameStreamEvent change
                && change.type() == Http2FrameStreamEvent.Type.Writability
                && streams.containsKey(change.stream())) {
            streams.get(change.stream()).connection().writabilityChanged();
        } else if (event instanceof SslCloseCompletionEvent) {
            all(Connection::lost);
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        all(Connection::lost);
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof Http2FrameStreamException fault) {
            Optional.ofNullable(streams.get(fault.stream()))
                    .ifPresent(wire -> wire.connection().misbehaved());
        } else {
            all(connection -> connection.exceptionCaught(ctx, cause));
        }
    }

    private void all(Consumer<Connection> step) {
        leave();
        List.copyOf(served).forEach(wire -> step.accept(wire.connection()));
        settle();
    }
}
