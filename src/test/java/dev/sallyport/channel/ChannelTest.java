package dev.sallyport.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.MessagePipeline.MessageCodec;
import dev.sallyport.config.GitSettings;
import dev.sallyport.fixture.Await;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChannelTest {
    private static final long OUR_PID = ProcessHandle.current().pid();

    @TempDir Path directory;

    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final BlockingQueue<Object> atGateway = new LinkedBlockingQueue<>();
    private final BlockingQueue<Object> atWarden = new LinkedBlockingQueue<>();
    private ChannelServer server;
    private volatile boolean slow;
    private int ourUid;

    @BeforeEach
    void open() throws IOException {
        ourUid = (int) Files.getAttribute(directory, "unix:uid");
        server =
                ChannelServer.open(loops.next(), directory, OptionalInt.empty(), new WardenQueue());
    }

    @AfterEach
    void close() {
        server.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void messagesAndDescriptorsArriveTogetherAndInOrder() throws Exception {
        server.expect(OUR_PID, ourUid);
        ChannelClient client = connect();
        assertThat(next(atWarden)).isEqualTo("connected");

        Path file = Files.writeString(directory.resolve("file"), "hello");
        FileDescriptor first = FileDescriptor.from(file.toFile());
        FileDescriptor second = FileDescriptor.from(file.toFile());
        server.attach(attach("00000000000000aa", ListenerKind.HTTP), List.of(first));
        server.send(new Message.Detach("00000000000000cc"));
        server.attach(attach("00000000000000bb", ListenerKind.DNS_UDP), List.of(second));
        client.send(new Message.Ready());

        assertThat(next(atGateway)).isEqualTo(List.of("00000000000000aa", 0L, 1));
        assertThat(next(atGateway)).isEqualTo(new Message.Detach("00000000000000cc"));
        assertThat(next(atGateway)).isEqualTo(List.of("00000000000000bb", 1L, 1));
        assertThat(next(atWarden)).isEqualTo(new Message.Ready());
        assertThat(first.isOpen()).isTrue();
        first.close();
        second.close();
    }

    /// More than the kernel keeps on their way, as for a gateway that takes over many sandboxes.
    @Test
    void thousandsOfDescriptorsArriveThoughTheGatewayIsSlow() throws Exception {
        server.expect(OUR_PID, ourUid);
        slow = true;
        connect();
        assertThat(next(atWarden)).isEqualTo("connected");
        Path file = Files.writeString(directory.resolve("file"), "hello");
        FileDescriptor descriptor = FileDescriptor.from(file.toFile());
        for (int i = 0; i < 2_000; i++) {
            server.attach(attach("00000000000000aa", ListenerKind.HTTP), List.of(descriptor));
        }
        server.release(List.of(descriptor));

        for (long i = 0; i < 2_000; i++) {
            assertThat(next(atGateway)).isEqualTo(List.of("00000000000000aa", i, 1));
        }
        while (descriptor.isOpen()) {
            Thread.onSpinWait();
        }
        assertThat(atWarden).as("the channel lives").isEmpty();
    }

    /// What it is supplied with must not fill the warden's own table.
    @Test
    void aGatewayThatTakesNoDescriptorsIsSuppliedWithNoMore() throws Exception {
        server.expect(OUR_PID, ourUid);
        Path file = Files.writeString(directory.resolve("file"), "hello");
        try (SocketChannel messages = raw(SocketNames.MESSAGES);
                SocketChannel descriptors = raw(SocketNames.DESCRIPTORS)) {
            assertThat(next(atWarden)).isEqualTo("connected");
            List<FileDescriptor> last = List.of();
            for (int batch = 0; batch < 40; batch++) {
                last = sockets(file, 64);
                server.supply(new Message.Sockets("00000000000000aa", 0, last.size()), last);
            }
            List<FileDescriptor> tooMany = last;
            Await.until(() -> tooMany.stream().noneMatch(FileDescriptor::isOpen));
            assertThat(atWarden).as("the channel lives").isEmpty();
            assertThat(messages.isConnected() && descriptors.isConnected()).isTrue();
        }
    }

    /// It would wait for the answer for ever, and nobody would ask again.
    @Test
    void aSidecarThatTakesNoDescriptorsIsCutOffWhenItAsksForMore() throws Exception {
        server.expect(OUR_PID, ourUid);
        Path file = Files.writeString(directory.resolve("file"), "hello");
        try (SocketChannel messages = raw(SocketNames.MESSAGES);
                SocketChannel descriptors = raw(SocketNames.DESCRIPTORS)) {
            assertThat(next(atWarden)).isEqualTo("connected");
            List<FileDescriptor> first = sockets(file, 1);
            server.answer(new Message.Line("00000000000000aa", "", 0, 1), first);
            Await.until(() -> !first.getFirst().isOpen());
            assertThat(atWarden).as("positive control").isEmpty();

            List<FileDescriptor> last = List.of();
            for (int wish = 0; wish < 40 * 64; wish++) {
                last = sockets(file, 1);
                server.answer(new Message.Line("00000000000000aa", "", 0, 1), last);
            }

            assertThat(next(atWarden))
                    .isEqualTo("ended: the gateway does not take what it asks for");
            List<FileDescriptor> tooMany = last;
            Await.until(() -> !tooMany.getFirst().isOpen());
            assertThat(messages.isConnected() && descriptors.isConnected()).isTrue();
        }
    }

    private static List<FileDescriptor> sockets(Path file, int count) throws IOException {
        List<FileDescriptor> sockets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sockets.add(FileDescriptor.from(file.toFile()));
        }
        return sockets;
    }

    @Test
    void theSocketsArePrivateAndGoneOnceTheGatewayIsThere() throws Exception {
        for (String name :
                List.of(SocketNames.MESSAGES, SocketNames.DESCRIPTORS, SocketNames.RECORDS)) {
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(directory.resolve(name))))
                    .isEqualTo("rw-------");
        }
        server.expect(OUR_PID, ourUid);
        connect();
        assertThat(next(atWarden)).isEqualTo("connected");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void anotherProcessIsNotLetIn() throws Exception {
        server.expect(OUR_PID + 1, ourUid);
        assertIsTurnedAway();
    }

    @Test
    void anotherUserIsNotLetIn() throws Exception {
        server.expect(OUR_PID, ourUid + 1);
        assertIsTurnedAway();
    }

    @Test
    void theGatewayRefusesAWardenThatIsNotItsParent() {
        server.expect(OUR_PID, ourUid);
        assertThatThrownBy(
                        () ->
                                ChannelClient.connect(
                                        loops.next(), directory, OUR_PID + 1, new GatewayQueue()))
                .isInstanceOf(ChannelException.class)
                .hasMessageContaining("not the warden");
        assertThat(atGateway).isEmpty();
    }

    @Test
    void bothEndsLearnOfTheEnd() throws Exception {
        server.expect(OUR_PID, ourUid);
        ChannelClient client = connect();
        assertThat(next(atWarden)).isEqualTo("connected");
        client.close();
        assertThat(next(atWarden)).asString().startsWith("ended");
        assertThat(next(atGateway)).asString().startsWith("ended");
    }

    @Test
    void theGatewayCannotSendWhatIsTheWardens() throws Exception {
        server.expect(OUR_PID, ourUid);
        ChannelClient client = connect();
        assertThat(next(atWarden)).isEqualTo("connected");
        client.send(new Message.Detach("00000000000000aa"));
        assertThat(next(atWarden)).asString().startsWith("ended");
    }

    @Test
    void aForbiddenMessageEndsTheConnectionAndIsNotDelivered() throws Exception {
        assertEndsAfter(frame("{\"type\":\"Detach\",\"session\":\"00000000000000aa\"}"));
    }

    @Test
    void anUnknownMessageEndsTheConnection() throws Exception {
        assertEndsAfter(frame("{\"type\":\"Reboot\"}"));
    }

    @Test
    void anOversizedFrameEndsTheConnection() throws Exception {
        assertEndsAfter(ByteBuffer.allocate(4).putInt(MessageCodec.MESSAGE_BYTES_MAX + 1).flip());
    }

    private void assertIsTurnedAway() throws Exception {
        try {
            connect();
            assertThat(next(atGateway)).asString().startsWith("ended");
        } catch (ClosedChannelException e) {
            assertThat(atGateway).isEmpty();
        }
        assertThat(atWarden).isEmpty();
    }

    private void assertEndsAfter(ByteBuffer bytes) throws Exception {
        server.expect(OUR_PID, ourUid);
        try (SocketChannel messages = raw(SocketNames.MESSAGES);
                SocketChannel descriptors = raw(SocketNames.DESCRIPTORS)) {
            assertThat(next(atWarden)).isEqualTo("connected");
            ByteBuffer ready = frame("{\"type\":\"Ready\"}");
            messages.write(
                    ByteBuffer.allocate(bytes.remaining() + ready.remaining())
                            .put(bytes)
                            .put(ready)
                            .flip());
            assertThat(next(atWarden)).asString().startsWith("ended");
            assertThat(atWarden).isEmpty();
            assertThat(descriptors.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    private SocketChannel raw(String name) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(directory.resolve(name)));
        return channel;
    }

    private static ByteBuffer frame(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).flip();
    }

    private ChannelClient connect() throws IOException {
        return ChannelClient.connect(loops.next(), directory, OUR_PID, new GatewayQueue());
    }

    private static void close(FileDescriptor descriptor) {
        try {
            descriptor.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Message.Attach attach(String session, ListenerKind kind) {
        return new Message.Attach(
                session,
                "app",
                new Message.Rights(List.of(), List.of(), false, GitSettings.STANDARD),
                List.of(),
                List.of(),
                Optional.empty(),
                new Message.Spent(0, 0, 0),
                0,
                List.of(kind),
                List.of());
    }

    private static Object next(BlockingQueue<Object> queue) throws InterruptedException {
        Object item = queue.poll(60, TimeUnit.SECONDS);
        assertThat(item).isNotNull();
        return item;
    }

    private final class GatewayQueue implements GatewayListener {
        @Override
        public void received(Message message, List<FileDescriptor> descriptors) {
            if (slow) {
                LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
                slow = false;
            }
            if (message instanceof Message.Attach attach) {
                descriptors.forEach(ChannelTest::close);
                atGateway.add(
                        List.of(attach.session(), attach.firstDescriptor(), descriptors.size()));
            } else {
                atGateway.add(message);
            }
        }

        @Override
        public void ended(String reason) {
            atGateway.add("ended: " + reason);
        }
    }

    private final class WardenQueue implements WardenListener {
        @Override
        public void connected() {
            atWarden.add("connected");
        }

        @Override
        public void received(Message message) {
            atWarden.add(message);
        }

        @Override
        public List<RecordOutcome> record(List<AuditEvent> batch) {
            throw new AssertionError("nothing is recorded here");
        }

        @Override
        public void ended(String reason) {
            atWarden.add("ended: " + reason);
        }
    }
}
