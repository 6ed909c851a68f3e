package dev.sallyport.carry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What the gateway's end of a carried connection does not take, and from whom.
final class CarryRefusalTest {
    private final List<InetSocketAddress> opened = new CopyOnWriteArrayList<>();
    private final List<Channel> streams = new CopyOnWriteArrayList<>();
    private final CarryRig rig =
            new CarryRig(
                    connection ->
                            CarryServer.addTo(
                                    connection.pipeline(),
                                    (stream, dialled) -> {
                                        opened.add(dialled);
                                        streams.add(stream);
                                        stream.config().setAutoRead(false);
                                        stream.pipeline().addLast(new Calm());
                                        var _ = stream.parent().eventLoop().register(stream);
                                    }));

    @AfterEach
    void close() {
        rig.close();
    }

    private SslContext good() {
        return rig.pki.clientContext(rig.pki.session(CarryRig.SESSION));
    }

    /// The control of every refusal: with what is right it works.
    private void assertWorks() throws Exception {
        rig.client.use(good());
        int before = opened.size();
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), rig.socket("127.0.0.1", 80))) {
            Await.until(() -> opened.size() == before + 1);
        }
    }

    private void assertClientFails(SslContext context, String how) throws Exception {
        rig.client.use(context);
        Await.until(() -> rig.heard(how));
        assertThat(rig.heard("connected")).isFalse();
        assertThat(opened).isEmpty();
        assertWorks();
    }

    @Test
    void aCertificateOfAnotherAuthorityIsRefused() throws Exception {
        CarryPki.Leaf foreign = new CarryPki().session(CarryRig.SESSION);
        assertClientFails(rig.pki.clientContext(foreign), "refused");
    }

    @Test
    void anExpiredCertificateIsRefused() throws Exception {
        CarryPki.Leaf old = rig.pki.session(CarryRig.SESSION, Instant.now().minusSeconds(60));
        assertClientFails(rig.pki.clientContext(old), "refused");
    }

    @Test
    void aGatewayOfAnotherAuthorityIsNotOurs() throws Exception {
        CarryPki other = new CarryPki();
        CarryPki.Leaf own = rig.pki.session(CarryRig.SESSION);
        assertClientFails(
                CarryTls.client(own.pem(), own.keys().getPrivate(), List.of(other.pem())), "lost");
    }

    @Test
    void aCertificateForAnotherNameIsNotTheGateways() throws Exception {
        int port = rig.port();
        rig.stopServer();
        rig.startServer(port, rig.pki.serverContext(rig.pki.server("other.sallyport")));
        rig.client.use(good());
        Await.until(
                () ->
                        rig.events.stream()
                                .anyMatch(event -> event.startsWith("lost: TLS with the gateway")));
        assertThat(rig.heard("connected")).isFalse();
        assertThat(opened).isEmpty();
        rig.stopServer();
        rig.startServer(port, rig.pki.serverContext());
        assertWorks();
    }

    /// Not even a session's certificate is one of the gateway.
    @Test
    void anotherSandboxIsNotTheGateway() throws Exception {
        int port = rig.port();
        rig.stopServer();
        rig.startServer(port, rig.pki.serverContext(rig.pki.session("00000000000000bb")));
        rig.client.use(good());
        Await.until(
                () ->
                        rig.events.stream()
                                .anyMatch(event -> event.startsWith("lost: TLS with the gateway")));
        assertThat(opened).isEmpty();
    }

    @Test
    void anOlderTlsIsRefused() throws Exception {
        assertThat(agrees("TLSv1.2")).isFalse();
        assertThat(opened).isEmpty();
        assertThat(agrees("TLSv1.3")).isTrue();
    }

    private boolean agrees(String version) throws Exception {
        CarryPki.Leaf leaf = rig.pki.session(CarryRig.SESSION);
        SslContext context =
                SslContextBuilder.forClient()
                        .keyManager(
                                new ByteArrayInputStream(
                                        leaf.pem().getBytes(StandardCharsets.US_ASCII)),
                                new ByteArrayInputStream(pem(leaf)))
                        .trustManager(
                                new ByteArrayInputStream(
                                        rig.pki.pem().getBytes(StandardCharsets.US_ASCII)))
                        .protocols(version)
                        .build();
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        Channel channel =
                connect(
                        made -> {
                            SslHandler tls =
                                    context.newHandler(made.alloc(), CarryTls.GATEWAY, 443);
                            tls.handshakeFuture()
                                    .addListener(shake -> done.complete(shake.isSuccess()));
                            made.pipeline().addLast(tls);
                        });
        boolean agreed = done.get(60, TimeUnit.SECONDS);
        var _ = channel.close();
        return agreed;
    }

    private static byte[] pem(CarryPki.Leaf leaf) {
        String body = Base64.getMimeEncoder().encodeToString(leaf.keys().getPrivate().getEncoded());
        return ("-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private Channel connect(Consumer<Channel> setUp) {
        return new Bootstrap()
                .group(rig.loops)
                .channel(EpollSocketChannel.class)
                .handler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel made) {
                                setUp.accept(made);
                            }
                        })
                .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.port()))
                .syncUninterruptibly()
                .channel();
    }

    /// A machine with a good certificate that says over HTTP/2 whatever it wants.
    private Channel rogue() throws Exception {
        SslContext context = good();
        CompletableFuture<Void> settled = new CompletableFuture<>();
        Channel channel =
                connect(
                        made ->
                                made.pipeline()
                                        .addLast(CarryTls.handler(context, made.alloc()))
                                        .addLast(
                                                Http2FrameCodecBuilder.forClient()
                                                        .validateHeaders(false)
                                                        .initialSettings(
                                                                Http2Settings.defaultSettings())
                                                        .build())
                                        .addLast(
                                                new Http2MultiplexHandler(
                                                        new ChannelInboundHandlerAdapter()))
                                        .addLast(new RogueEars.Settled(settled)));
        settled.get(60, TimeUnit.SECONDS);
        // It does not keep to what it is told.
        channel.pipeline()
                .get(Http2FrameCodec.class)
                .connection()
                .local()
                .maxActiveStreams(Integer.MAX_VALUE);
        return channel;
    }

    private static Http2Headers connectTo(String authority) {
        return new DefaultHttp2Headers(false).method("CONNECT").authority(authority);
    }

    /// Opens a stream and returns what the gateway makes of it: `200`, or an error of HTTP/2.
    private static String answer(Channel rogue, Http2Headers head, boolean end) throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        Http2StreamChannel stream =
                new Http2StreamChannelBootstrap(rogue)
                        .handler(new RogueEars.Answer(answer))
                        .open()
                        .syncUninterruptibly()
                        .getNow();
        var _ = stream.writeAndFlush(new DefaultHttp2HeadersFrame(head, end));
        return answer.get(60, TimeUnit.SECONDS);
    }

    @Test
    void onlyConnectToAnAddressOfTheLoopbackNetworkIsServed() throws Exception {
        Channel rogue = rogue();
        List<Http2Headers> bad = new ArrayList<>();
        for (String authority :
                List.of(
                        "10.0.0.1:443",
                        "128.0.0.1:443",
                        "127.0.0.1",
                        "127.0.0.1:",
                        "127.0.0.1:0",
                        "127.0.0.1:080",
                        "127.0.0.1:65536",
                        "127.0.0.256:80",
                        "127.0.0.01:80",
                        "127.1:80",
                        "0x7f.0.0.1:80",
                        "[::1]:80",
                        "[::ffff:127.0.0.1]:80",
                        "localhost:80",
                        "user@127.0.0.1:80",
                        " 127.0.0.1:80",
                        "127.0.0.1:80\n")) {
            bad.add(connectTo(authority));
        }
        bad.add(connectTo("127.0.0.1:80").scheme("https"));
        bad.add(connectTo("127.0.0.1:80").path("/"));
        bad.add(connectTo("127.0.0.1:80").set("x-more", "1"));
        bad.add(
                new DefaultHttp2Headers(false)
                        .method("GET")
                        .scheme("https")
                        .path("/")
                        .authority("127.0.0.1:80"));
        bad.add(
                new DefaultHttp2Headers(false)
                        .method("GET")
                        .scheme("http")
                        .path("http://127.0.0.1:80/")
                        .authority("127.0.0.1:80"));
        bad.add(new DefaultHttp2Headers(false).method("CONNECT"));
        for (Http2Headers head : bad) {
            assertThat(answer(rogue.isActive() ? rogue : rogue(), head, false))
                    .as(head.toString())
                    .isNotEqualTo("200");
        }
        assertThat(answer(rogue(), connectTo("127.0.0.1:80"), true)).isNotEqualTo("200");
        assertThat(opened).isEmpty();
        assertThat(answer(rogue(), connectTo("127.64.0.5:8443"), false)).isEqualTo("200");
        assertThat(opened).containsExactly(CarryRig.at("127.64.0.5", 8_443));
    }

    @Test
    void moreStreamsThanAllowedAreRefused() throws Exception {
        Channel rogue = rogue();
        for (int i = 0; i < CarryFrames.STREAMS_MAX; i++) {
            assertThat(answer(rogue, connectTo("127.0.0.1:80"), false)).isEqualTo("200");
        }
        assertThat(opened).hasSize(CarryFrames.STREAMS_MAX);
        assertThat(answer(rogue, connectTo("127.0.0.1:80"), false)).isNotEqualTo("200");
        assertThat(opened).hasSize(CarryFrames.STREAMS_MAX);
    }

    private static void beginAndReset(@Nullable Http2StreamChannel stream) {
        if (stream != null) {
            var _ = stream.write(new DefaultHttp2HeadersFrame(connectTo("127.0.0.1:80")));
            var _ = stream.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
        }
    }

    @Test
    void aFloodOfResetsEndsTheConnection() throws Exception {
        Channel rogue = rogue();
        for (int i = 0; i < 10_000 && rogue.isActive(); i++) {
            Future<Http2StreamChannel> opening =
                    new Http2StreamChannelBootstrap(rogue).handler(new Calm()).open();
            opening.addListener(_ -> beginAndReset(opening.getNow()));
            // Many at once, so that a busy machine does not make a trickle of the flood.
            if (i % 256 == 0) {
                opening.awaitUninterruptibly();
            }
        }
        Await.until(() -> !rogue.isActive());
        assertThat(opened.size()).isLessThan(3_000);
        assertWorks();
    }

    @Test
    void aFloodOfPingsWhoseAnswersNobodyReadsEndsTheConnection() throws Exception {
        Channel rogue = rogue();
        rogue.config().setOption(ChannelOption.SO_RCVBUF, 4_096);
        rogue.config().setAutoRead(false);
        while (rogue.isActive() && !rig.connections.isEmpty()) {
            for (int i = 0; i < 1_000; i++) {
                var _ = rogue.write(new DefaultHttp2PingFrame(1));
            }
            rogue.flush();
            Await.until(() -> rogue.isWritable() || rig.connections.isEmpty());
        }
        assertThat(rig.connections.isEmpty()).isTrue();
        assertWorks();
    }

    /// Small frames cost a hundred times their size.
    @Test
    void smallFramesThatNobodyReadsAreCopiedTogether() throws Exception {
        Channel rogue = rogue();
        CompletableFuture<String> answer = new CompletableFuture<>();
        Http2StreamChannel stream =
                new Http2StreamChannelBootstrap(rogue)
                        .handler(new RogueEars.Answer(answer))
                        .open()
                        .syncUninterruptibly()
                        .getNow();
        var _ = stream.writeAndFlush(new DefaultHttp2HeadersFrame(connectTo("127.0.0.1:80")));
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("200");
        CarriedChannel carried = (CarriedChannel) streams.getFirst();
        // Flushed one by one, because this codec would send them together.
        for (int i = 0; i < CarryFrames.WINDOW_BYTES + 1_000; i++) {
            ByteBuf one = Unpooled.wrappedBuffer(new byte[1]);
            var _ = stream.writeAndFlush(new DefaultHttp2DataFrame(one));
        }
        Await.until(() -> onLoop(carried, carried.unread()::bytes) == CarryFrames.WINDOW_BYTES);
        assertThat(onLoop(carried, carried.unread()::buffers)).isLessThanOrEqualTo(2);
    }

    private static <T> T onLoop(Channel channel, Callable<T> question) throws Exception {
        return channel.eventLoop().submit(question).get(60, TimeUnit.SECONDS);
    }

    private static final class Calm extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = ctx.close();
        }
    }
}
