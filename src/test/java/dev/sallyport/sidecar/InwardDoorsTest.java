package dev.sallyport.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.carry.CarryRig;
import dev.sallyport.carry.CarryServer;
import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Published ports of a sandbox whose gateway is elsewhere. The loopback of the test is both that
/// of the host and that of the sandbox.
class InwardDoorsTest {
    private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");

    /// More than the kernel takes from us, and then more than may wait here.
    private static final int SINGLE_BYTES = 8_000;

    private final List<Message> told = new CopyOnWriteArrayList<>();
    private final List<String> halts = new CopyOnWriteArrayList<>();
    private final List<Boolean> sealed = new CopyOnWriteArrayList<>();
    private final AtomicInteger carried = new AtomicInteger();
    private final AtomicInteger arrived = new AtomicInteger();
    private final CarryRig rig =
            new CarryRig(connection -> CarryServer.addTo(connection.pipeline(), this::door));
    private ServerSocket server;

    @BeforeEach
    void serve() throws IOException {
        server = new ServerSocket(0, 64, HERE);
        Thread.ofVirtual().start(this::echo);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        rig.close();
    }

    /// A server inside.
    private void echo() {
        try {
            while (true) {
                Socket socket = server.accept();
                arrived.incrementAndGet();
                Thread.ofVirtual().start(() -> answer(socket));
            }
        } catch (IOException _) {
            // The test is over.
        }
    }

    private static void answer(Socket accepted) {
        try (Socket socket = accepted) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException _) {
            // The other side has gone.
        }
    }

    /// What the gateway does with each connection that is carried to it.
    private void door(Channel stream, InetSocketAddress dialled) {
        carried.incrementAndGet();
        stream.pipeline()
                .addLast(
                        new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext ctx, Object message) {
                                var _ = ctx.writeAndFlush(message);
                            }
                        });
        var _ = stream.parent().eventLoop().register(stream);
    }

    private static LinuxSocket listener() throws IOException {
        LinuxSocket socket = LinuxSocket.newSocketStream(false);
        socket.bind(new InetSocketAddress(HERE, 0));
        socket.listen(128);
        return socket;
    }

    private static int port(LinuxSocket listener) {
        return listener.localAddress().getPort();
    }

    private static List<FileDescriptor> sockets(int count) {
        List<FileDescriptor> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(LinuxSocket.newSocketStream(true));
        }
        return made;
    }

    private static Socket dial(int port) throws IOException {
        Socket socket = new Socket(HERE, port);
        socket.setSoTimeout(120_000);
        return socket;
    }

    private static long heldBytes() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }

    /// Netty counts what waits by its bytes, and a read has a buffer of kilobytes.
    @Test
    void singleBytesThatNobodyReadsHoldLittleMemory() throws Exception {
        Limits.Sharing most = Limits.standard().sharing();
        InwardDoors doors = new InwardDoors(CarryRig.SESSION, rig.loops, told::add, () -> most);
        try (ServerSocket deaf = new ServerSocket()) {
            deaf.setReceiveBufferSize(1_024);
            deaf.bind(new InetSocketAddress(HERE, 0));
            LinuxSocket listener = listener();
            int port = port(listener);
            doors.change(
                    List.of(new Message.Inward("127.0.0.1", port, deaf.getLocalPort())),
                    List.of(listener));
            LinuxSocket inside = LinuxSocket.newSocketStream(false);
            inside.setSendBufferSize(1_024);
            doors.supply(List.of(inside));
            try (Socket client = dial(port);
                    Socket server = deaf.accept()) {
                client.setTcpNoDelay(true);
                long before = heldBytes();
                for (int i = 0; i < SINGLE_BYTES; i++) {
                    client.getOutputStream().write(i);
                    settle();
                }
                assertThat(heldBytes() - before).isLessThan(4 << 20);

                for (int i = 0; i < SINGLE_BYTES; i++) {
                    assertThat(server.getInputStream().read()).isEqualTo(i & 0xff);
                }
            }
        }
    }

    /// What has arrived is read before this returns.
    private void settle() {
        var _ = rig.loops.next().submit(() -> {}).syncUninterruptibly();
        var _ = rig.loops.next().submit(() -> {}).syncUninterruptibly();
    }

    @Test
    void noPolicyGivesItMoreConnectionsThanItHasMemoryFor() {
        Limits.Sharing standard = Limits.standard().sharing();
        assertThat(InwardDoors.connectionsMax(few(4))).isEqualTo(4);
        assertThat(InwardDoors.connectionsMax(few(100_000)))
                .isEqualTo(InwardDoors.CONNECTIONS_MAX)
                .isEqualTo(standard.connectionsPerSandboxMax());
    }

    private static Limits.Sharing few(int connections) {
        Limits.Sharing standard = Limits.standard().sharing();
        return new Limits.Sharing(
                connections,
                standard.connectionsTotalMax(),
                standard.requestsInFlightPerSandboxMax(),
                standard.requestsInFlightTotalMax(),
                standard.requestsPerSecondPerSandboxMax(),
                standard.requestsWaitingPerSandboxMax(),
                standard.requestWaitSecondsMax());
    }

    private static String says(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        return new String(
                socket.getInputStream().readNBytes(text.length()), StandardCharsets.US_ASCII);
    }

    private Message.Inward published(LinuxSocket listener) {
        return new Message.Inward("127.0.0.1", port(listener), server.getLocalPort());
    }

    private Sidecar sidecar() {
        return sidecar(rig.loops, halts::add);
    }

    private Sidecar sidecar(EventLoopGroup loop, Consumer<String> halt) {
        Sidecar sidecar = new Sidecar(loop, told::add, halt, sealed::add);
        sidecar.received(
                new Message.Configure(Limits.standard(), List.of(), Optional.empty()), List.of());
        sidecar.received(new Message.Carry(CarryRig.SESSION, true), List.of());
        return sidecar;
    }

    private static Message.Ports ports(Message.Inward... published) {
        return new Message.Ports(CarryRig.SESSION, 0, List.of(), List.of(published));
    }

    @Test
    void aPublishedPortLeadsInsideAndItsUseIsToldAndItEndsAtOnce() throws Exception {
        LinuxSocket listener = listener();
        int port = port(listener);
        Message.Inward published = published(listener);
        Sidecar sidecar = sidecar();

        sidecar.received(ports(published), List.of(listener));
        assertThat(told).contains(new Message.SocketsWanted(CarryRig.SESSION));
        sidecar.received(new Message.Sockets(CarryRig.SESSION, 0, 40), sockets(40));

        try (Socket client = dial(port)) {
            assertThat(says(client, "hello")).isEqualTo("hello");
            client.shutdownOutput();
            assertThat(client.getInputStream().readAllBytes()).isEmpty();
        }
        try (Socket client = dial(port)) {
            assertThat(says(client, "again")).isEqualTo("again");
            sidecar.received(ports(), List.of());
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
        Await.until("it is closed", () -> !listens(port));
        assertThat(traffic()).as("connections, bytes in, bytes out").containsExactly(2L, 10L, 10L);
        assertThat(halts).isEmpty();
        assertThat(carried).as("at the gateway").hasValue(0);
    }

    /// A message leaves when the one before it has been read, so the process ends no sooner.
    @Test
    void whatPassedLastIsToldBeforeTheEnd() throws Exception {
        LinuxSocket listener = listener();
        int port = port(listener);
        List<List<Long>> toldAtTheEnd = new CopyOnWriteArrayList<>();
        EventLoop loop = rig.loops.next();
        Sidecar sidecar = sidecar(loop, _ -> toldAtTheEnd.add(traffic()));
        sidecar.received(ports(published(listener)), List.of(listener));
        sidecar.received(new Message.Sockets(CarryRig.SESSION, 0, 40), sockets(40));
        try (Socket client = dial(port)) {
            assertThat(says(client, "hello")).isEqualTo("hello");
            assertThat(traffic()).as("so far").isEqualTo(List.of(1L, 0L, 0L));

            Message detach = new Message.Detach(CarryRig.SESSION);
            boolean later =
                    loop.submit(
                                    () -> {
                                        sidecar.received(detach, List.of());
                                        return toldAtTheEnd.isEmpty();
                                    })
                            .get();

            assertThat(later).as("the end comes when the message has left").isTrue();
            Await.until("the end", () -> !toldAtTheEnd.isEmpty());
            assertThat(toldAtTheEnd).containsExactly(List.of(1L, 5L, 5L));
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = dial(port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /// The first connection is told of at once, and the rest with the end.
    private List<Long> traffic() {
        long connections = 0;
        long in = 0;
        long out = 0;
        for (Message message : told) {
            if (message instanceof Message.PortUsed used) {
                assertThat(used.insidePort()).isEqualTo(server.getLocalPort());
                connections += used.connections();
                in += used.bytesIn();
                out += used.bytesOut();
            }
        }
        return List.of(connections, in, out);
    }

    @Test
    void aFloodAtAPublishedPortTakesNoPlaceFromWhatIsCarried() throws Exception {
        rig.client.use(rig.pki.clientContext(rig.pki.session(CarryRig.SESSION)));
        Listeners listeners = new Listeners(rig.loops, rig.client);
        LinuxSocket door = listener();
        int doorPort = port(door);
        listeners.listen(ListenerKind.HTTP, door);
        InwardDoors doors = new InwardDoors(CarryRig.SESSION, rig.loops, told::add, () -> few(4));
        LinuxSocket listener = listener();
        int port = port(listener);
        doors.change(List.of(published(listener)), List.of(listener));
        doors.supply(sockets(64));

        List<Socket> flood = new ArrayList<>();
        try (Socket program = dial(doorPort)) {
            for (int i = 0; i < 32; i++) {
                flood.add(dial(port));
            }
            for (Socket first : flood.subList(0, 4)) {
                assertThat(says(first, "in")).isEqualTo("in");
            }
            assertThat(says(program, "carried")).isEqualTo("carried");
            assertThat(arrived).hasValue(4);
            flood.getFirst().close();
            assertThat(says(flood.get(4), "next")).as("control: it only waited").isEqualTo("next");
        } finally {
            for (Socket socket : flood) {
                socket.close();
            }
        }
    }

    @Test
    void socketsThatNobodyWantsAreClosed() throws Exception {
        Sidecar sidecar = sidecar();
        LinuxSocket unwanted = LinuxSocket.newSocketStream(true);

        sidecar.received(ports(), List.of());
        sidecar.received(new Message.Sockets(CarryRig.SESSION, 0, 1), List.of(unwanted));

        assertThat(unwanted.isOpen()).isFalse();
        assertThat(told).doesNotContain(new Message.SocketsWanted(CarryRig.SESSION));
    }

    @Test
    void portsOfAnotherSessionAreNotServed() throws Exception {
        LinuxSocket listener = listener();
        Message.Inward published = published(listener);
        Sidecar sidecar = sidecar();
        Message.Ports other =
                new Message.Ports("00000000000000bb", 0, List.of(), List.of(published));

        assertThatThrownBy(() -> sidecar.received(other, List.of(listener)))
                .isInstanceOf(IllegalStateException.class);

        assertThat(told).doesNotContain(new Message.SocketsWanted(CarryRig.SESSION));
        sidecar.received(ports(published), List.of(listener));
        assertThat(told).as("control").contains(new Message.SocketsWanted(CarryRig.SESSION));
    }
}
