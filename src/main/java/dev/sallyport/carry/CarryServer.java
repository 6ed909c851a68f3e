package dev.sallyport.carry;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The gateway's end of a connection from a machine with sandboxes: every `CONNECT` (RFC 9113,
/// section 8.5) to an address that a program in the sandbox can dial becomes a channel like that of
/// an accepted socket. Everything else is reset.
public final class CarryServer {
    /// In a GOAWAY: the certificate that the connection was made with is good for nothing more.
    static final long SESSION_OVER = 0x5e550;

    private static final int LAST_WORD_MILLIS_MAX = 1_000;

    /// The other side sends a PING every few seconds.
    private static final int SILENCE_SECONDS_MAX = 30;

    static final WriteBufferWaterMark UNSENT_BYTES =
            new WriteBufferWaterMark(256 * 1_024, 512 * 1_024);

    private CarryServer() {}

    /// Serves what is carried.
    public interface Door {
        /// Takes ownership of a stream that is not registered yet: sets up its pipeline and
        /// registers it with the event loop of its parent, or closes it. On that event loop.
        ///
        /// @param dialled also the stream's local address
        void open(Channel stream, InetSocketAddress dialled);
    }

    /// Appends the handlers of an authenticated connection that has agreed on HTTP/2, in wire
    /// order.
    public static void addTo(ChannelPipeline afterTls, Door door) {
        CarryFrames frames = CarryFrames.ofServer();
        afterTls.channel().config().setWriteBufferWaterMark(UNSENT_BYTES);
        afterTls.addLast("silence", new IdleStateHandler(SILENCE_SECONDS_MAX, 0, 0));
        frames.addTo(afterTls);
        afterTls.addLast(
                        "streams",
                        new Http2MultiplexHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel stream) {
                                        stream.pipeline().addLast("head", new Head(frames, door));
                                    }
                                }))
                .addLast("leftovers", new Leftovers());
        afterTls.read();
    }

    /// Tells a client whose certificate is not one of a session, and closes the connection. It has
    /// agreed on HTTP/2 and was not served.
    public static void refuse(ChannelPipeline afterTls) {
        CarryFrames.ofServer().addTo(afterTls);
        afterTls.addLast("leftovers", new Leftovers());
        end(afterTls.channel());
    }

    /// The session of a connection is over: closes it, and all that it carries, and says why. From
    /// any thread.
    public static void end(Channel connection) {
        connection.config().setAutoRead(false);
        connection
                .writeAndFlush(new DefaultHttp2GoAwayFrame(SESSION_OVER, Unpooled.EMPTY_BUFFER))
                .addListener(ChannelFutureListener.CLOSE);
        // Whoever does not read does not keep it open.
        var _ =
                connection
                        .eventLoop()
                        .schedule(
                                () -> {
                                    var _ = connection.close();
                                },
                                LAST_WORD_MILLIS_MAX,
                                TimeUnit.MILLISECONDS);
    }

    /// Refuses a stream so that the program that dialled sees a reset. From any thread.
    public static void reset(Channel stream) {
        CarriedChannel.reset(stream);
    }

    /// Waits for the head of a stream, which is whole when it comes.
    private static final class Head extends ChannelInboundHandlerAdapter {
        private final CarryFrames frames;
        private final Door door;

        Head(CarryFrames frames, Door door) {
            this.frames = frames;
            this.door = door;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            Optional<InetSocketAddress> dialled =
                    message instanceof Http2HeadersFrame head && !head.isEndStream()
                            ? dialled(head.headers())
                            : Optional.empty();
            ReferenceCountUtil.release(message);
            if (dialled.isPresent()) {
                open(ctx, dialled.get());
            } else {
                refuse(ctx);
            }
        }

        private void open(ChannelHandlerContext ctx, InetSocketAddress dialled) {
            Http2StreamChannel stream = (Http2StreamChannel) ctx.channel();
            CarriedChannel carried = CarriedChannel.of(stream, frames, dialled);
            ctx.pipeline().replace(this, "carried", new StreamFeed(carried));
            Http2Headers yes = new DefaultHttp2Headers().status(HttpResponseStatus.OK.codeAsText());
            var _ = stream.writeAndFlush(new DefaultHttp2HeadersFrame(yes));
            door.open(carried, dialled);
        }

        private static void refuse(ChannelHandlerContext ctx) {
            ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.REFUSED_STREAM))
                    .addListener(ChannelFutureListener.CLOSE);
        }

        /// A `CONNECT` has neither scheme nor path; the codec sees to that there is no second field
        /// of a kind.
        private static Optional<InetSocketAddress> dialled(Http2Headers head) {
            boolean connect =
                    HttpMethod.CONNECT.asciiName().contentEquals(orEmpty(head.method()))
                            && head.scheme() == null
                            && head.path() == null
                            && head.size() == 2;
            return connect ? DialledAddress.parse(orEmpty(head.authority())) : Optional.empty();
        }

        private static CharSequence orEmpty(@Nullable CharSequence text) {
            return text == null ? "" : text;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = ctx.close();
        }
    }

    /// Frames that concern the whole connection have been acted on by the codec. So are faults of
    /// HTTP/2, about which the codec tells the client before it closes; whatever else fails ends
    /// the connection here.
    private static final class Leftovers extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof IdleStateEvent) {
                var _ = ctx.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (!(cause instanceof Http2Exception)) {
                var _ = ctx.close();
            }
        }
    }
}
