package dev.sallyport.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditLog;
import dev.sallyport.fixture.AuditLogs;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Both ends of a lane, with a real log behind it.
class RecordLaneTest {
    private static final long OUR_PID = ProcessHandle.current().pid();
    private static final int IN_FLIGHT = 64;

    @TempDir Path directory;

    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final EventLoop wardenLoop = loops.next();
    private final EventLoop gatewayLoop = loops.next();
    private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();
    private final List<Integer> batches = Collections.synchronizedList(new ArrayList<>());
    private AuditLog log;
    private ChannelServer server;

    @BeforeEach
    void open() throws IOException {
        log = AuditLogs.open(directory.resolve("audit.jsonl"));
        int uid = (int) Files.getAttribute(directory, "unix:uid");
        server = ChannelServer.open(wardenLoop, directory, OptionalInt.empty(), new Warden());
        server.expect(OUR_PID, uid);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        log.close();
    }

    private RecordLane connect() throws IOException {
        return RecordLane.connect(
                gatewayLoop, directory, OUR_PID, Duration.ofMinutes(2), ends::add);
    }

    private static AuditEvent event(int number) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", "%016x".formatted(number));
        detail.put("host", "registry.example.com");
        detail.put("port", "443");
        detail.put("method", "GET");
        detail.put("path", "/some/ordinary-package/-/ordinary-package-1.2.3.tgz");
        detail.put("rule", "policy.yaml:12");
        return new AuditEvent("egress.request", "0123456789abcdef", "allow", detail);
    }

    /// Keeps 64 events in flight: whoever gets an answer asks for the next.
    private final class Crowd {
        private final RecordLane lane;
        private final AuditEvent event = event(1);
        private final int total;
        private final AtomicInteger asked = new AtomicInteger();
        private final AtomicInteger answered = new AtomicInteger();
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        Crowd(RecordLane lane, int total) {
            this.lane = lane;
            this.total = total;
        }

        void run() throws Exception {
            gatewayLoop.execute(
                    () -> {
                        for (int i = 0; i < IN_FLIGHT; i++) {
                            ask();
                        }
                    });
            done.get(5, TimeUnit.MINUTES);
        }

        private void ask() {
            if (asked.incrementAndGet() <= total) {
                var _ = lane.record(event).whenComplete((_, problem) -> answered(problem));
            }
        }

        private void answered(Throwable problem) {
            if (problem != null || !gatewayLoop.inEventLoop()) {
                done.completeExceptionally(new AssertionError("not on the same loop", problem));
            }
            if (answered.incrementAndGet() == total) {
                done.complete(null);
            }
            ask();
        }
    }

    @Test
    void sixtyFourInFlightShareBatchesAndAreAnsweredOnTheirLoop() throws Exception {
        new Crowd(connect(), 6_400).run();
        assertThat(batches.stream().mapToInt(Integer::intValue).sum()).isEqualTo(6_400);
        assertThat(batches).as("events per batch").hasSizeLessThan(6_400 / 16);
    }

    @Test
    void aLoneEventDoesNotWaitForCompany() throws Exception {
        RecordLane lane = connect();
        for (int i = 0; i < 3; i++) {
            lane.record(event(i)).get(1, TimeUnit.MINUTES);
        }
        assertThat(batches).containsExactly(1, 1, 1);
    }

    @Test
    void theOrderOfOneLoopIsKept() throws Exception {
        RecordLane lane = connect();
        CompletableFuture<Void> last = new CompletableFuture<>();
        gatewayLoop.execute(
                () -> {
                    for (int i = 0; i < 2_000; i++) {
                        var _ = lane.record(event(i));
                    }
                    var _ = lane.record(event(2_000)).thenRun(() -> last.complete(null));
                });
        last.get(1, TimeUnit.MINUTES);
        List<String> lines = Files.readAllLines(directory.resolve("audit.jsonl"));
        assertThat(lines).hasSize(2_001);
        for (int i = 0; i < lines.size(); i++) {
            assertThat(lines.get(i)).contains("\"id\":\"%016x\"".formatted(i));
        }
        assertThat(batches).as("none is larger than a batch may be").allMatch(size -> size <= 512);
    }

    /// On both loops together: encoding, decoding, hashing and writing. Only compiled code keeps
    /// short-lived objects off the heap, and the compiler may be late on a busy machine. So rounds
    /// are repeated until one is compiled.
    @Tag("compiled")
    @Test
    void aRecordLeavesLittleGarbage() throws Exception {
        RecordLane lane = connect();
        long each = Long.MAX_VALUE;
        for (int round = 0; round < 50 && each >= 3_000; round++) {
            long before = allocated();
            new Crowd(lane, 20_000).run();
            each = (allocated() - before) / 20_000;
        }
        assertThat(each).as("bytes for each").isLessThan(3_000);
    }

    private long allocated() throws Exception {
        long sum = 0;
        for (EventLoop loop : List.of(wardenLoop, gatewayLoop)) {
            long id = loop.submit(() -> Thread.currentThread().threadId()).get();
            sum += ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getThreadAllocatedBytes(id);
        }
        return sum;
    }

    @Test
    void p11_nothingTakesEffectWhenTheWardenGoes() throws Exception {
        RecordLane lane = connect();
        server.close();
        assertThat(ends.poll(1, TimeUnit.MINUTES)).isNotNull();
        CompletableFuture<Void> event = lane.record(event(1));
        assertThatThrownBy(() -> event.get(1, TimeUnit.MINUTES)).hasMessageContaining("gone");
        assertThat(batches).isEmpty();
    }

    @Test
    void whatIsNoEventEndsTheLaneAndIsNotRecorded() throws Exception {
        try (SocketChannel raw = raw()) {
            assertThat(read(raw)).as("the lane is open").isEqualTo(0);
            raw.write(
                    ByteBuffer.allocate(10)
                            .putInt(6)
                            .putShort((short) 1)
                            .putInt(0x7f7f7f7f)
                            .flip());
            assertThat(raw.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
        assertThat(batches).isEmpty();
    }

    @Test
    void anOversizedBatchEndsTheLane() throws Exception {
        try (SocketChannel raw = raw()) {
            assertThat(read(raw)).isEqualTo(0);
            raw.write(ByteBuffer.allocate(4).putInt(EventCodec.BATCH_BYTES_MAX + 3).flip());
            assertThat(raw.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    /// A thousand unfinished batches would take all memory that the warden has for buffers.
    @Test
    void aGatewayHasFewLanes() throws Exception {
        int processors = Runtime.getRuntime().availableProcessors();
        assertThat(ChannelServer.lanesMax()).isLessThanOrEqualTo(64 + 2 * processors);
        List<SocketChannel> lanes = new ArrayList<>();
        for (int i = 0; i < ChannelServer.lanesMax(); i++) {
            SocketChannel lane = raw();
            lanes.add(lane);
            assertThat(read(lane)).isEqualTo(0);
        }
        try (SocketChannel further = raw()) {
            assertThat(further.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
        for (SocketChannel lane : lanes) {
            lane.close();
        }
    }

    @Test
    void noLaneOpensOnceTheChannelIsThere() throws Exception {
        ChannelClient client = ChannelClient.connect(gatewayLoop, directory, OUR_PID, new Nobody());
        assertThat(ends.poll(1, TimeUnit.MINUTES)).isEqualTo("connected");
        assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
        client.close();
    }

    private SocketChannel raw() throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(directory.resolve(SocketNames.RECORDS)));
        return channel;
    }

    private static int read(SocketChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(2);
        while (bytes.hasRemaining()) {
            channel.read(bytes);
        }
        return bytes.getShort(0);
    }

    private final class Warden implements WardenListener {
        @Override
        public void connected() {
            ends.add("connected");
        }

        @Override
        public void received(Message message) {
            ends.add("a message: " + message);
        }

        @Override
        public List<RecordOutcome> record(List<AuditEvent> batch) {
            try {
                log.append(batch);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            batches.add(batch.size());
            return Collections.nCopies(batch.size(), RecordOutcome.RECORDED);
        }

        @Override
        public void ended(String reason) {
            ends.add(reason);
        }
    }

    private static final class Nobody implements GatewayListener {
        @Override
        public void received(Message message, List<FileDescriptor> descriptors) {}

        @Override
        public void ended(String reason) {}
    }
}
