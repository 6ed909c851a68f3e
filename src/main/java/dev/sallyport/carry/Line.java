package dev.sallyport.carry;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2SettingsAckFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// One connection from a machine with sandboxes to the gateway. On one event loop.
///
/// ```
/// Connecting ── TLS, and the gateway takes us in ──▶ Up ── leave() ──▶ Leaving
///     └───────── refused, or a fault ──▶ Over ◀── the last stream ends ─────┘
/// ```
final class Line {
    /// The other side is dead when it says nothing for two of them, for a PING asks for an answer.
    private static final int PING_SECONDS = 3;

    private static final int SILENT_PINGS_MAX = 2;

    /// Numbers of streams end somewhere.
    private static final int STREAMS_EVER_MAX = 1 << 29;

    /// What becomes of it.
    interface Owner {
        void up(Line line);

        /// One of its streams has ended.
        void freed(Line line);

        /// It has ended because we wanted it to.
        void left(Line line);

        /// It has ended against our wish, or never began.
        ///
        /// @param refused whether the gateway does not take our certificate
        void over(Line line, boolean refused, String why);
    }

    private enum State {
        CONNECTING,
        UP,
        LEAVING,
        OVER
    }

    private final Owner owner;
    private final CarryFrames frames = CarryFrames.ofClient();
    private State state = State.CONNECTING;
    private final Channel channel;
    private @Nullable Future<?> ticks;
    private int streams;
    private int streamsEver;
    private boolean heard;
    private int silentPings;
    private boolean refused;
    private boolean unwanted;
    private String why = "the gateway closed the connection";

    private Line(Channel channel, Owner owner) {
        this.channel = channel;
        this.owner = owner;
    }

    /// The owner hears of everything that follows later than this returns.
    ///
    /// @param connected nothing was said on it; takes ownership
    static Line open(EventLoop loop, FileDescriptor connected, SslContext context, Owner owner) {
        EpollSocketChannel channel = new EpollSocketChannel(connected.intValue());
        channel.config().setTcpNoDelay(true).setWriteBufferWaterMark(CarryServer.UNSENT_BYTES);
        Line line = new Line(channel, owner);
        channel.pipeline()
                .addLast("tls", CarryTls.handler(context, channel.alloc()))
                .addLast("greeting", line.new Greeting());
        loop.register(channel)
                .addListener(
                        _ -> {
                            // One that the gateway has reset already tells nobody.
                            if (!channel.isActive()) {
                                line.close(false);
                                loop.execute(line::ended);
                            }
                        });
        return line;
    }

    boolean isUp() {
        return state == State.UP;
    }

    boolean isConnecting() {
        return state == State.CONNECTING;
    }

    int streams() {
        return streams;
    }

    boolean hasRoom() {
        return isUp() && streams < frames.streamsMax();
    }

    /// Opens a stream. It has half-closure and no auto-read, and is registered.
    ///
    /// @param opened gets it
    /// @param failed runs when it cannot be had
    void connect(InetSocketAddress dialled, Consumer<Channel> opened, Runnable failed) {
        streams++;
        streamsEver++;
        if (streamsEver >= STREAMS_EVER_MAX) {
            leave();
        }
        new Http2StreamChannelBootstrap(channel)
                .open()
                .addListener(
                        (Future<Http2StreamChannel> made) -> {
                            if (made.isSuccess()) {
                                begin(made.getNow(), dialled, opened);
                            } else {
                                freed();
                                failed.run();
                            }
                        });
    }

    private void begin(
            Http2StreamChannel stream, InetSocketAddress dialled, Consumer<Channel> opened) {
        stream.closeFuture().addListener(_ -> freed());
        CarriedChannel carried = CarriedChannel.of(stream, frames, dialled);
        stream.pipeline().addLast("carried", StreamFeed.ofClient(carried));
        Http2Headers head =
                new DefaultHttp2Headers()
                        .method(HttpMethod.CONNECT.asciiName())
                        .authority(DialledAddress.format(dialled));
        var _ = stream.writeAndFlush(new DefaultHttp2HeadersFrame(head));
        Pump.prepare(carried);
        var _ = stream.eventLoop().register(carried);
        opened.accept(carried);
    }

    private void freed() {
        streams--;
        if (state == State.LEAVING && streams == 0) {
            var _ = channel.close();
        } else if (state != State.OVER) {
            owner.freed(this);
        }
    }

    /// No more streams; those that are open end in their own time.
    void leave() {
        if (state == State.CONNECTING || streams == 0) {
            close();
        }
        if (state == State.UP) {
            unwanted = true;
            state = State.LEAVING;
        }
    }

    void whenOver(Runnable step) {
        channel.closeFuture().addListener(_ -> step.run());
    }

    void close() {
        close(true);
    }

    private void close(boolean byUs) {
        unwanted |= byUs;
        var _ = channel.close();
    }

    private void secured(ChannelHandlerContext ctx) {
        if (!ApplicationProtocolNames.HTTP_2.equals(
                ctx.pipeline().get(SslHandler.class).applicationProtocol())) {
            why = "what answers there is not a gateway for sandboxes of other machines";
            var _ = ctx.close();
            return;
        }
        frames.addTo(ctx.pipeline());
        ctx.pipeline()
                .addLast("streams", new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()))
                .addLast("line", new Control());
        ticks =
                ctx.executor()
                        .scheduleWithFixedDelay(
                                this::tick, PING_SECONDS, PING_SECONDS, TimeUnit.SECONDS);
    }

    private void tick() {
        silentPings = heard ? 0 : silentPings + 1;
        heard = false;
        if (silentPings >= SILENT_PINGS_MAX) {
            why = "the gateway does not answer";
            var _ = channel.close();
        } else {
            var _ = channel.writeAndFlush(new DefaultHttp2PingFrame(0));
        }
    }

    private void ended() {
        if (state != State.OVER) {
            state = State.OVER;
            Future<?> running = ticks;
            if (running != null) {
                running.cancel(false);
            }
            if (unwanted) {
                owner.left(this);
            } else {
                owner.over(this, refused, why);
            }
        }
    }

    /// Stands behind TLS and sees whatever comes, and how it ends.
    private final class Greeting extends ChannelInboundHandlerAdapter {
        private boolean secured;

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof SslHandshakeCompletionEvent handshake) {
                if (handshake.isSuccess()) {
                    secured = true;
                    secured(ctx);
                } else {
                    why = "TLS with the gateway failed: " + handshake.cause().getMessage();
                }
            }
            ctx.fireUserEventTriggered(event);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            heard = true;
            ctx.fireChannelRead(message);
        }

        /// The gateway verifies our certificate after our side of the handshake is done (RFC 8446,
        /// section 4.4.2.4), so its alert comes then.
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            Throwable reason = cause.getCause() instanceof SSLException inner ? inner : cause;
            if (secured && state == State.CONNECTING && reason instanceof SSLException) {
                refused = true;
                why = "the gateway refuses the certificate of this sandbox: " + reason.getMessage();
            } else if (secured) {
                why = "the connection to the gateway failed: " + reason.getMessage();
            }
            var _ = ctx.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            ctx.fireChannelInactive();
            ended();
        }
    }

    /// Sees the frames that concern the whole connection.
    private final class Control extends ChannelInboundHandlerAdapter {
        private boolean settled;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof Http2SettingsAckFrame) {
                settled = true;
            } else if (message instanceof Http2GoAwayFrame leaving) {
                refused |= leaving.errorCode() == CarryServer.SESSION_OVER;
                why =
                        refused
                                ? "the gateway does not know this sandbox, or its session is over"
                                : "the gateway ends the connection, code " + leaving.errorCode();
                state = State.LEAVING;
                if (streams == 0) {
                    var _ = ctx.close();
                }
            }
            ReferenceCountUtil.release(message);
        }

        /// A gateway that refuses says so before it acknowledges our settings.
        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            if (settled && state == State.CONNECTING) {
                state = State.UP;
                owner.up(Line.this);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            why = "the connection to the gateway failed: " + cause.getMessage();
            var _ = ctx.close();
        }
    }
}
