package dev.sallyport.demo;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.concurrent.atomic.AtomicInteger;

/// The host of a [Rehearsal]: says yes to everything, in answers of the sizes that registries of
/// packages have, over HTTP/2 and HTTP/1.1.
final class RehearsalHost implements AutoCloseable {
    private static final int[] BODY_BYTES = {60, 200, 4_000, 60, 1_000, 12_000, 60, 300, 100_000};
    private static final ApplicationProtocolConfig PROTOCOLS =
            new ApplicationProtocolConfig(
                    Protocol.ALPN,
                    SelectorFailureBehavior.NO_ADVERTISE,
                    SelectedListenerFailureBehavior.ACCEPT,
                    ApplicationProtocolNames.HTTP_2,
                    ApplicationProtocolNames.HTTP_1_1);

    private final AtomicInteger answered = new AtomicInteger();
    private final Channel listener;

    RehearsalHost(EventLoopGroup loop, CertificateAuthority authority, String name)
            throws GeneralSecurityException {
        JdkSslContext tls =
                new JdkSslContext(
                        authority.serverContext(name),
                        false,
                        null,
                        IdentityCipherSuiteFilter.INSTANCE,
                        PROTOCOLS,
                        ClientAuth.NONE,
                        null,
                        false);
        ChannelInitializer<Channel> connection =
                new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(tls.newHandler(channel.alloc()), new Negotiated());
                    }
                };
        listener =
                new ServerBootstrap()
                        .group(loop)
                        .channel(EpollServerSocketChannel.class)
                        .childHandler(connection)
                        .bind(InetAddress.ofLiteral("127.0.0.1"), 0)
                        .syncUninterruptibly()
                        .channel();
    }

    String dial() {
        return "127.0.0.1:" + ((InetSocketAddress) listener.localAddress()).getPort();
    }

    int answered() {
        return answered.get();
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
    }

    private final class Negotiated extends ApplicationProtocolNegotiationHandler {
        Negotiated() {
            super(ApplicationProtocolNames.HTTP_1_1);
        }

        @Override
        protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
            if (protocol.equals(ApplicationProtocolNames.HTTP_1_1)) {
                ctx.pipeline().addLast(new HttpServerCodec(), new Answers());
                return;
            }
            ChannelInitializer<Channel> stream =
                    new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline()
                                    .addLast(
                                            new Http2StreamFrameToHttpObjectCodec(true),
                                            new Answers());
                        }
                    };
            ctx.pipeline()
                    .addLast(
                            Http2FrameCodecBuilder.forServer().build(),
                            new Http2MultiplexHandler(stream));
        }
    }

    private final class Answers extends SimpleChannelInboundHandler<HttpObject> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
            if (!(message instanceof LastHttpContent)) {
                return;
            }
            int bytes = BODY_BYTES[answered.getAndIncrement() % BODY_BYTES.length];
            FullHttpResponse answer =
                    new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1,
                            HttpResponseStatus.OK,
                            Unpooled.wrappedBuffer(new byte[bytes]));
            answer.headers()
                    .set("date", "Thu, 01 Jan 2026 00:00:00 GMT")
                    .set("content-type", "application/octet-stream")
                    .set("content-length", bytes)
                    .set("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT")
                    .set("etag", "\"65920080-" + Integer.toHexString(bytes) + "\"")
                    .set("accept-ranges", "bytes");
            var _ = ctx.writeAndFlush(answer);
        }
    }
}
