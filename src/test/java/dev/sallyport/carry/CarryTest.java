package dev.sallyport.carry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Await;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Connections of a sandbox on another machine, up to the door that serves them.
final class CarryTest {
    private static final int STANDSTILL_LOOKS = 10;
    private static final long LARGE_BYTES = 200L << 20;
    private static final int PIECE_BYTES = 64 * 1_024;

    /// Two windows, what waits to be written, and what the kernel keeps for the sockets of the
    /// test; a small part of what is sent.
    private static final long HELD_BYTES_MAX = 32L << 20;

    private final List<Channel> opened = new CopyOnWriteArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final AtomicLong doorBytes = new AtomicLong();
    private final CarryRig rig =
            new CarryRig(connection -> CarryServer.addTo(connection.pipeline(), this::open));
    private volatile boolean doorReads = true;

    @AfterEach
    void close() {
        rig.close();
    }

    /// What is dialled says what the door does.
    private void open(Channel stream, InetSocketAddress dialled) {
        opened.add(stream);
        stream.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        stream.config().setWriteBufferWaterMark(new WriteBufferWaterMark(65_536, 131_072));
        stream.config().setAutoRead(false);
        stream.pipeline().addLast(dialled.getPort() == 1 ? new Source() : new Echo());
        var _ = stream.parent().eventLoop().register(stream);
    }

    private SslContext good() {
        return rig.pki.clientContext(rig.pki.session(CarryRig.SESSION));
    }

    private static Socket dial(int port) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(65_536);
        socket.setSoTimeout(120_000);
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    private static String says(Socket program, String text) throws IOException {
        program.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        return new String(
                program.getInputStream().readNBytes(text.length()), StandardCharsets.US_ASCII);
    }

    /// Many looks in a row: on a busy machine a sender may only be late.
    private static void awaitStandstill(LongSupplier count) {
        long[] last = {-1};
        int[] same = {0};
        Await.until(
                "a standstill",
                () -> {
                    Thread.sleep(100);
                    long now = count.getAsLong();
                    same[0] = now == last[0] && now > 0 ? same[0] + 1 : 0;
                    last[0] = now;
                    return same[0] >= STANDSTILL_LOOKS;
                });
    }

    @Test
    void carriesBytesAndTheEndOfEachDirection() throws Exception {
        rig.client.use(good());
        try (Socket program = dial(rig.socket("127.64.0.5", 443))) {
            assertThat(says(program, "hello")).isEqualTo("hello");
            program.shutdownOutput();
            assertThat(program.getInputStream().readAllBytes()).asString().isEqualTo("bye");
        }
        assertThat(opened).hasSize(1);
        assertThat(opened.getFirst().localAddress()).isEqualTo(CarryRig.at("127.64.0.5", 443));
        assertThat(rig.events).containsExactly("connected");
        assertThat(faults).isEmpty();
    }

    @Test
    void keepsNoMoreThanAWindowOfWhatTheProgramDoesNotRead() throws Exception {
        rig.client.use(good());
        try (Socket program = dial(rig.socket("127.0.0.1", 1))) {
            awaitStandstill(doorBytes::get);
            assertThat(doorBytes.get()).isBetween(1L, HELD_BYTES_MAX);
            try (Socket other = dial(rig.socket("127.0.0.1", 443))) {
                assertThat(says(other, "not held up")).isEqualTo("not held up");
            }
            assertThat(count(program.getInputStream())).isEqualTo(LARGE_BYTES);
        }
    }

    @Test
    void keepsNoMoreThanAWindowOfWhatTheDoorDoesNotRead() throws Exception {
        rig.client.use(good());
        doorReads = false;
        AtomicLong sent = new AtomicLong();
        try (Socket program = dial(rig.socket("127.0.0.1", 443));
                ExecutorService sender = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> all =
                    sender.submit(
                            () -> {
                                byte[] piece = new byte[PIECE_BYTES];
                                while (sent.get() < LARGE_BYTES) {
                                    program.getOutputStream().write(piece);
                                    sent.addAndGet(piece.length);
                                }
                                program.shutdownOutput();
                                return null;
                            });
            awaitStandstill(sent::get);
            assertThat(sent.get()).isBetween(1L, HELD_BYTES_MAX);
            doorReads = true;
            opened.getFirst().read();
            assertThat(count(program.getInputStream())).isEqualTo(LARGE_BYTES + 3);
            all.get();
        }
    }

    private static long count(InputStream in) throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        long all = 0;
        for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
            all += n;
        }
        return all;
    }

    @Test
    void aResetOfTheProgramIsOneAtTheDoor() throws Exception {
        rig.client.use(good());
        Socket program = dial(rig.socket("127.0.0.1", 443));
        assertThat(says(program, "x")).isEqualTo("x");
        program.setSoLinger(true, 0);
        program.close();
        Await.until(() -> !opened.getFirst().isOpen());
        assertThat(faults).hasSize(1);
    }

    @Test
    void aResetOfTheDoorIsOneAtTheProgram() throws Exception {
        rig.client.use(good());
        try (Socket program = dial(rig.socket("127.0.0.1", 443))) {
            assertThat(says(program, "x")).isEqualTo("x");
            opened.getFirst().eventLoop().execute(() -> CarryServer.reset(opened.getFirst()));
            assertThatThrownBy(() -> program.getInputStream().read()).hasMessageContaining("reset");
        }
    }

    @Test
    void carriesManyShortConnections() throws Exception {
        rig.client.use(good());
        int socket = rig.socket("127.0.0.1", 443);
        try (ExecutorService programs = Executors.newFixedThreadPool(20)) {
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                String word = "word " + i;
                answers.add(
                        programs.submit(
                                () -> {
                                    try (Socket program = dial(socket)) {
                                        return says(program, word);
                                    }
                                }));
            }
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i).get()).isEqualTo("word " + i);
            }
        }
        assertThat(opened).hasSize(1_000);
        Await.until(() -> opened.stream().noneMatch(Channel::isOpen));
        assertThat(faults).isEmpty();
        assertThat(rig.connections.size()).isEqualTo(1);
    }

    @Test
    void opensAnotherConnectionWhenOneIsBusyAndNoMoreThanFour() throws Exception {
        rig.client.use(good());
        int socket = rig.socket("127.0.0.1", 443);
        List<Socket> programs = new ArrayList<>();
        try {
            for (int i = 0; i < 400; i++) {
                programs.add(dial(socket));
                assertThat(says(programs.getLast(), "x")).isEqualTo("x");
            }
            Await.until(() -> rig.connections.size() == 4);
            assertThat(rig.shown).hasSize(4);
        } finally {
            for (Socket program : programs) {
                program.close();
            }
        }
    }

    @Test
    void whatIsAcceptedWhileTheGatewayIsAwayWaitsForIt() throws Exception {
        SslContext server = rig.pki.serverContext();
        rig.client.use(good());
        int socket = rig.socket("127.0.0.1", 443);
        int port = rig.port();
        try (Socket before = dial(socket)) {
            assertThat(says(before, "x")).isEqualTo("x");
            rig.stopServer();
            assertThatThrownBy(() -> before.getInputStream().read()).hasMessageContaining("reset");
            Await.until(() -> rig.heard("lost"));
            try (Socket after = dial(socket)) {
                after.getOutputStream().write("wait".getBytes(StandardCharsets.US_ASCII));
                rig.startServer(port, server);
                assertThat(after.getInputStream().readNBytes(4)).asString().isEqualTo("wait");
            }
        }
        assertThat(rig.events).startsWith("connected").endsWith("connected");
    }

    @Test
    void whatIsAcceptedIsResetWhenTheGatewayStaysAway() throws Exception {
        rig.client.use(good());
        Await.until(() -> rig.heard("connected"));
        rig.stopServer();
        try (Socket program = dial(rig.socket("127.0.0.1", 443))) {
            assertThatThrownBy(() -> program.getInputStream().read()).hasMessageContaining("reset");
        }
        assertThat(opened).isEmpty();
    }

    @Test
    void aNewCertificateIsUsedAtOnceAndTheOldConnectionEndsWithWhatItCarries() throws Exception {
        rig.client.use(good());
        try (Socket transfer = dial(rig.socket("127.0.0.1", 1))) {
            Await.until(() -> doorBytes.get() > 0);
            rig.client.use(good());
            Await.until(() -> rig.shown.size() == 2);
            try (Socket program = dial(rig.socket("127.0.0.1", 443))) {
                assertThat(says(program, "x")).isEqualTo("x");
            }
            assertThat(opened.getLast().parent().parent())
                    .isNotEqualTo(opened.getFirst().parent().parent());
            assertThat(rig.connections.size()).isEqualTo(2);
            assertThat(count(transfer.getInputStream())).isEqualTo(LARGE_BYTES);
        }
        Await.until(() -> rig.connections.size() == 1);
        assertThat(rig.shown.getFirst()).isNotEqualTo(rig.shown.getLast());
        assertThat(rig.events).containsExactly("connected", "connected");
    }

    @Test
    void anEndedSessionIsToldFromAFault() throws Exception {
        rig.client.use(good());
        try (Socket program = dial(rig.socket("127.0.0.1", 443))) {
            assertThat(says(program, "x")).isEqualTo("x");
            assertThat(rig.heard("refused")).isFalse();
            rig.connections.forEach(CarryServer::end);
            assertThatThrownBy(() -> program.getInputStream().read()).hasMessageContaining("reset");
            Await.until(() -> rig.heard("refused"));
        }
    }

    /// Gives back what it gets, and says a last word.
    private final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            more(ctx);
        }

        private void more(ChannelHandlerContext ctx) {
            if (doorReads && ctx.channel().isWritable()) {
                ctx.read();
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            var _ = ctx.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
            more(ctx);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            more(ctx);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                ctx.writeAndFlush(Unpooled.copiedBuffer("bye", StandardCharsets.US_ASCII))
                        .addListener(ChannelFutureListener.CLOSE);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            faults.add(cause.toString());
        }
    }

    /// Sends much, as fast as it is taken, and closes.
    private final class Source extends ChannelInboundHandlerAdapter {
        private long left = LARGE_BYTES;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            more(ctx);
        }

        private void more(ChannelHandlerContext ctx) {
            while (left > 0 && ctx.channel().isWritable()) {
                left -= PIECE_BYTES;
                doorBytes.addAndGet(PIECE_BYTES);
                ChannelFutureListener then = left > 0 ? _ -> {} : ChannelFutureListener.CLOSE;
                ctx.writeAndFlush(ctx.alloc().buffer(PIECE_BYTES).writeZero(PIECE_BYTES))
                        .addListener(then);
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            more(ctx);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            faults.add(cause.toString());
        }
    }
}
