package dev.sallyport.demo;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// What a gateway that rehearses has around it, on loopback: a host with TLS, and programs that ask
/// it for things through a sandbox's proxy.
public final class RehearsedWorld {
    public static final String HOST = "rehearsal.example";

    private static final int ANSWER_BYTES = 8 * 1_024;
    private static final int MESSAGE_BYTES_MAX = 64 * 1_024;
    private static final int AT_ONCE = 8;
    private static final int SECONDS_MAX = 300;
    private static final int BACKLOG = 8;

    private final EventLoopGroup loops;
    private final String authorityPem;
    private final int port;

    public RehearsedWorld(EventLoopGroup loops) throws GeneralSecurityException {
        this.loops = loops;
        CertificateAuthority authority = CertificateAuthority.create();
        this.authorityPem = authority.pem();
        SslContext tls =
                new JdkSslContext(
                        authority.serverContext(HOST),
                        false,
                        null,
                        IdentityCipherSuiteFilter.INSTANCE,
                        offered(ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1),
                        ClientAuth.NONE,
                        null,
                        false);
        Channel listener =
                new ServerBootstrap()
                        .group(loops)
                        .channel(EpollServerSocketChannel.class)
                        .childHandler(secured(tls, new Origin()))
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .syncUninterruptibly()
                        .channel();
        this.port = ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /// Where the host is.
    public String dial() {
        return "127.0.0.1:" + port;
    }

    /// Who signed for the host.
    public String authorityPem() {
        return authorityPem;
    }

    /// What stands for a socket in the sandbox; its owner closes it.
    public static LinuxSocket listen() throws IOException {
        LinuxSocket socket = LinuxSocket.newSocketStream(false);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        socket.listen(BACKLOG);
        return socket;
    }

    private static ApplicationProtocolConfig offered(String... protocols) {
        return new ApplicationProtocolConfig(
                ApplicationProtocolConfig.Protocol.ALPN,
                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                protocols);
    }

    private static ChannelInitializer<Channel> secured(SslContext tls, ChannelHandler next) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(tls.newHandler(channel.alloc()), next);
            }
        };
    }

    /// A program in the sandbox asks so many times, over HTTP/2 or HTTP/1.1.
    ///
    /// @param proxy the port of the sandbox's proxy
    /// @param trusted the authority that the sandbox trusts
    public void ask(int proxy, String trusted, boolean http2, int times) throws IOException {
        SslContext tls =
                SslContextBuilder.forClient()
                        .sslProvider(SslProvider.JDK)
                        .trustManager(
                                new ByteArrayInputStream(
                                        trusted.getBytes(StandardCharsets.US_ASCII)))
                        .endpointIdentificationAlgorithm("HTTPS")
                        .applicationProtocolConfig(
                                offered(
                                        http2
                                                ? ApplicationProtocolNames.HTTP_2
                                                : ApplicationProtocolNames.HTTP_1_1))
                        .build();
        Program program = new Program(tls, times);
        new Bootstrap()
                .group(loops)
                .channel(EpollSocketChannel.class)
                .handler(program)
                .connect(InetAddress.getLoopbackAddress(), proxy)
                .syncUninterruptibly();
        try {
            program.done.get(SECONDS_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IOException("the rehearsal stopped", e);
        }
    }

    /// The host answers everything with the same bytes.
    @ChannelHandler.Sharable
    private static final class Origin extends ApplicationProtocolNegotiationHandler {
        Origin() {
            super(ApplicationProtocolNames.HTTP_1_1);
        }

        @Override
        protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
            if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                ctx.pipeline()
                        .addLast(
                                Http2FrameCodecBuilder.forServer().build(),
                                new Http2MultiplexHandler(stream()));
            } else {
                answer(ctx.pipeline().addLast(new HttpServerCodec()));
            }
        }

        private static ChannelInitializer<Channel> stream() {
            return new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    answer(channel.pipeline().addLast(new Http2StreamFrameToHttpObjectCodec(true)));
                }
            };
        }

        private static void answer(ChannelPipeline pipeline) {
            pipeline.addLast(new HttpObjectAggregator(MESSAGE_BYTES_MAX), new Answer());
        }
    }

    private static final class Answer extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
            FullHttpResponse answer =
                    new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1,
                            HttpResponseStatus.OK,
                            Unpooled.wrappedBuffer(new byte[ANSWER_BYTES]));
            answer.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream")
                    .setInt(HttpHeaderNames.CONTENT_LENGTH, ANSWER_BYTES);
            var _ = ctx.writeAndFlush(answer);
        }
    }

    /// Asks the proxy for a way to the host, and then the host.
    private static final class Program extends SimpleChannelInboundHandler<ByteBuf> {
        private final SslContext tls;
        private final int times;
        private int asked;
        private int answered;
        final CompletableFuture<Void> done = new CompletableFuture<>();

        Program(SslContext tls, int times) {
            this.tls = tls;
            this.times = times;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            String line = "CONNECT " + HOST + ":443 HTTP/1.1\r\nHost: " + HOST + ":443\r\n\r\n";
            var _ = ctx.writeAndFlush(Unpooled.copiedBuffer(line, StandardCharsets.US_ASCII));
        }

        /// The proxy's answer.
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf bytes) {
            ChannelPipeline pipeline = ctx.pipeline();
            pipeline.addLast(
                    tls.newHandler(ctx.alloc(), HOST, 443),
                    new ApplicationProtocolNegotiationHandler(ApplicationProtocolNames.HTTP_1_1) {
                        @Override
                        protected void configurePipeline(
                                ChannelHandlerContext negotiated, String protocol) {
                            begin(negotiated.channel(), protocol);
                        }
                    });
            pipeline.remove(this);
        }

        private void begin(Channel channel, String protocol) {
            if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                channel.pipeline()
                        .addLast(
                                Http2FrameCodecBuilder.forClient().build(),
                                new Http2MultiplexHandler(
                                        new ChannelInitializer<Channel>() {
                                            @Override
                                            protected void initChannel(Channel pushed) {
                                                var _ = pushed.close();
                                            }
                                        }));
                for (int i = 0; i < AT_ONCE; i++) {
                    open(channel);
                }
            } else {
                channel.pipeline()
                        .addLast(
                                new HttpClientCodec(),
                                new HttpObjectAggregator(MESSAGE_BYTES_MAX),
                                new Next(() -> ask(channel)));
                ask(channel);
            }
        }

        private void open(Channel connection) {
            if (asked >= times) {
                return;
            }
            new Http2StreamChannelBootstrap(connection)
                    .handler(
                            new ChannelInitializer<Channel>() {
                                @Override
                                protected void initChannel(Channel stream) {
                                    stream.pipeline()
                                            .addLast(
                                                    new Http2StreamFrameToHttpObjectCodec(false),
                                                    new HttpObjectAggregator(MESSAGE_BYTES_MAX),
                                                    new Next(() -> open(connection)));
                                }
                            })
                    .open()
                    .addListener(
                            opened -> {
                                if (opened.isSuccess()) {
                                    ask((Channel) opened.getNow());
                                } else {
                                    done.completeExceptionally(opened.cause());
                                }
                            });
        }

        private void ask(Channel channel) {
            if (asked++ >= times) {
                return;
            }
            FullHttpRequest request =
                    new DefaultFullHttpRequest(
                            HttpVersion.HTTP_1_1, HttpMethod.GET, "/package/" + asked + ".tgz");
            request.headers()
                    .set(HttpHeaderNames.HOST, HOST)
                    .set(HttpHeaderNames.USER_AGENT, "rehearsal")
                    .set(HttpHeaderNames.ACCEPT, "*/*")
                    .set("x-http2-scheme", "https");
            var _ = channel.writeAndFlush(request);
        }

        private final class Next extends SimpleChannelInboundHandler<FullHttpResponse> {
            private final Runnable next;

            Next(Runnable next) {
                this.next = next;
            }

            @Override
            protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse answer) {
                if (answer.status().code() != 200) {
                    done.completeExceptionally(new IOException("answered " + answer.status()));
                } else if (++answered == times) {
                    done.complete(null);
                } else {
                    next.run();
                }
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                done.completeExceptionally(cause);
            }
        }
    }
}
