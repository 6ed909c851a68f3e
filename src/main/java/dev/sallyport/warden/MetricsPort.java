package dev.sallyport.warden;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Gives figures to whoever asks on a port of loopback, when a person wants that. Sandboxes have a
/// loopback of their own. A web page that makes a browser ask under another name is refused.
///
/// @param channel absent when there is no such port
record MetricsPort(Optional<Channel> channel) implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(MetricsPort.class.getName());
    private static final int CONNECTIONS_MAX = 16;
    private static final int IDLE_SECONDS_MAX = 10;
    private static final int HEAD_BYTES_MAX = 4_096;
    private static final Pattern OWN_NAMES =
            Pattern.compile("(?i)(?:localhost|127\\.0\\.0\\.1)(?::[0-9]{1,5})?");

    /// A port that somebody else has is told in the log; everything else goes on without.
    static MetricsPort open(EventLoop loop, Optional<Integer> port, Supplier<String> text) {
        if (port.isEmpty()) {
            return new MetricsPort(Optional.empty());
        }
        AtomicInteger open = new AtomicInteger();
        try {
            Channel channel =
                    new ServerBootstrap()
                            .group(loop)
                            .channel(EpollServerSocketChannel.class)
                            .childHandler(pipeline(open, text))
                            .bind(
                                    new InetSocketAddress(
                                            InetAddress.ofLiteral("127.0.0.1"), port.get()))
                            .syncUninterruptibly()
                            .channel();
            return new MetricsPort(Optional.of(channel));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "no metrics on port " + port.get(), e);
            return new MetricsPort(Optional.empty());
        }
    }

    private static ChannelInitializer<Channel> pipeline(AtomicInteger open, Supplier<String> text) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.closeFuture().addListener(_ -> open.decrementAndGet());
                if (open.incrementAndGet() > CONNECTIONS_MAX) {
                    var _ = channel.close();
                    return;
                }
                channel.pipeline()
                        .addLast(new ReadTimeoutHandler(IDLE_SECONDS_MAX))
                        .addLast(
                                new HttpServerCodec(HEAD_BYTES_MAX, HEAD_BYTES_MAX, HEAD_BYTES_MAX))
                        .addLast(new HttpObjectAggregator(1, true))
                        .addLast(new Page(text));
            }
        };
    }

    private static final class Page extends SimpleChannelInboundHandler<FullHttpRequest> {
        private final Supplier<String> text;
        private boolean asked;

        Page(Supplier<String> text) {
            this.text = text;
        }

        /// One request for each connection: what is sent behind it is not read.
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            if (asked) {
                return;
            }
            asked = true;
            context.channel().config().setAutoRead(false);
            HttpResponseStatus refused = refusal(request);
            if (refused != null) {
                answer(context, refused, "");
                return;
            }
            Thread.ofVirtual()
                    .name("metrics")
                    .start(() -> answer(context, HttpResponseStatus.OK, text.get()));
        }

        private static @Nullable HttpResponseStatus refusal(FullHttpRequest request) {
            String host = request.headers().get(HttpHeaderNames.HOST, "");
            if (request.decoderResult().isFailure() || !OWN_NAMES.matcher(host).matches()) {
                return HttpResponseStatus.FORBIDDEN;
            }
            if (!request.method().equals(HttpMethod.GET)) {
                return HttpResponseStatus.METHOD_NOT_ALLOWED;
            }
            return request.uri().equals("/metrics") ? null : HttpResponseStatus.NOT_FOUND;
        }

        private static void answer(
                ChannelHandlerContext context, HttpResponseStatus status, String body) {
            FullHttpResponse answer =
                    new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1,
                            status,
                            Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
            answer.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, Operation.Text.TYPE)
                    .set(HttpHeaderNames.CONNECTION, "close")
                    .set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes());
            var _ = context.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            var _ = context.close();
        }
    }

    @Override
    public void close() {
        channel.ifPresent(open -> open.close().syncUninterruptibly());
    }
}
