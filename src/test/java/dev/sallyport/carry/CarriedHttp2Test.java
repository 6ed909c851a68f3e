package dev.sallyport.carry;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A program on another machine may speak HTTP/2 with what answers it here.
final class CarriedHttp2Test {
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};

    /// HEADERS of stream 1, which ends: GET, https, `/`, and `a` as authority.
    private static final byte[] REQUEST = {
        0, 0, 6, 1, 5, 0, 0, 0, 1, (byte) 0x82, (byte) 0x87, (byte) 0x84, 1, 1, 'a'
    };

    private static final int HEADERS = 1;
    private static final int GOAWAY = 7;

    private final CarryRig rig =
            new CarryRig(
                    connection ->
                            CarryServer.addTo(connection.pipeline(), CarriedHttp2Test::serve));

    @AfterEach
    void close() {
        rig.close();
    }

    private static void serve(Channel stream, InetSocketAddress dialled) {
        stream.pipeline()
                .addLast(
                        Http2FrameCodecBuilder.forServer().build(),
                        new Http2MultiplexHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel request) {
                                        request.pipeline().addLast(new NoContent());
                                    }
                                }));
        var _ = stream.parent().eventLoop().register(stream);
    }

    private static final class NoContent extends SimpleChannelInboundHandler<Http2HeadersFrame> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, Http2HeadersFrame head) {
            var _ =
                    ctx.writeAndFlush(
                            new DefaultHttp2HeadersFrame(
                                    new DefaultHttp2Headers().status("204"), true));
        }
    }

    /// The kind of the first frame that answers a request, or ends the connection.
    private static int answer(DataInputStream in) throws IOException {
        while (true) {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int kind = in.readUnsignedByte();
            in.readNBytes(5 + length);
            if (kind == HEADERS || kind == GOAWAY) {
                return kind;
            }
        }
    }

    @Test
    void theFirstStreamOfACarriedConnectionIsServed() throws Exception {
        rig.client.use(rig.pki.clientContext(rig.pki.session(CarryRig.SESSION)));
        int port = rig.socket("127.64.0.5", 443);
        try (Socket program = new Socket(InetAddress.getLoopbackAddress(), port)) {
            program.setSoTimeout(120_000);
            program.getOutputStream().write(PREFACE.getBytes(StandardCharsets.US_ASCII));
            program.getOutputStream().write(SETTINGS);
            program.getOutputStream().write(REQUEST);
            assertThat(answer(new DataInputStream(program.getInputStream()))).isEqualTo(HEADERS);
        }
    }
}
