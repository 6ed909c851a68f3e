package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.Responder;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// P10: whatever one sandbox does on its sockets, another is served in time.
final class FairnessTest {
    private static final String HOSTILE = "00000000000000aa";
    private static final String BYSTANDER = "00000000000000bb";
    private static final int CONNECTIONS = 3_000;
    private static final int REQUESTS = 200;
    private static final int TOTAL_MAX = 128;
    private static final String GET = "GET /policy HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private final MultiThreadIoEventLoopGroup attackers =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final List<Channel> hostile = new ArrayList<>();
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
    private final GatewayInProcess gateway =
            new GatewayInProcess(
                    limits(),
                    (_, head, responder) -> {
                        if (head.path().equals("/git/held")) {
                            held.add(() -> responder.loop().execute(() -> answer(responder)));
                        }
                        return new IgnoredBody();
                    });

    private static Limits limits() {
        Limits standard = Limits.standard();
        Limits.Sharing sharing = standard.sharing();
        return new Limits(
                new Limits.Http(16_384, 64, 128, 300, 60, 60, 64, 3_600),
                new Limits.Sharing(
                        sharing.connectionsPerSandboxMax(),
                        sharing.connectionsTotalMax(),
                        sharing.requestsInFlightPerSandboxMax(),
                        TOTAL_MAX,
                        sharing.requestsPerSecondPerSandboxMax(),
                        sharing.requestsWaitingPerSandboxMax(),
                        300),
                standard.git(),
                standard.push(),
                standard.mirror(),
                standard.dns(),
                standard.upstream(),
                standard.egress(),
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }

    private static void answer(Responder responder) {
        responder.start(204, Map.of(), OptionalLong.empty());
        responder.end();
    }

    @BeforeEach
    void attach() throws Exception {
        gateway.attach(HOSTILE);
        gateway.attach(BYSTANDER);
    }

    @AfterEach
    void close() throws Exception {
        // The end of their loop would leave those open that are not connected yet.
        try {
            for (Channel channel : hostile) {
                assertThat(channel.close().await(1, TimeUnit.MINUTES)).isTrue();
            }
        } finally {
            attackers.shutdownGracefully(0, 2, TimeUnit.SECONDS).await(5, TimeUnit.SECONDS);
            gateway.close();
        }
    }

    @Test
    void p10_slowHeadsOnThousandsOfConnectionsDoNotDisturbAnother() throws Exception {
        attack("GET /git/x HTTP/1.1\r\nHost: loc", "a", 500);
        assertBystanderIsServed();
    }

    @Test
    void p10_slowBodiesDoNotDisturbAnother() throws Exception {
        String head = "POST /git/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
        attack(head, "x", 500);
        assertBystanderIsServed();
    }

    @Test
    void p10_pipeliningWithoutReadingDoesNotDisturbAnother() throws Exception {
        attack(GET.repeat(200), GET.repeat(200), 50);
        assertBystanderIsServed();
    }

    @Test
    void p10_requestsThatAreNeverAnsweredDoNotDisturbAnother() throws Exception {
        attack("GET /git/x HTTP/1.1\r\nHost: localhost\r\n\r\n", GET, 200);
        assertBystanderIsServed();
    }

    /// As many as a client without a queue of its own makes at a time.
    @Test
    void p10_requestsOfABurstWaitInLineAndAreAllServed() throws Exception {
        int inFlightMax = Limits.standard().sharing().requestsInFlightPerSandboxMax();
        int burst = 3 * inFlightMax;
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < burst; i++) {
            clients.add(new Client(port(BYSTANDER)).send(GET.replace("/policy", "/git/held")));
        }
        Await.until(() -> held.size() == inFlightMax);
        for (int answered = 0; answered < burst; answered++) {
            Await.until(() -> !held.isEmpty());
            assertThat(held.size()).isLessThanOrEqualTo(inFlightMax);
            held.remove().run();
        }
        for (Client client : clients) {
            assertThat(client.until("\r\n\r\n")).startsWith("HTTP/1.1 204 ");
            client.close();
        }
    }

    @Test
    void p10_greedySandboxesLeaveABystanderItsPlaces() throws Exception {
        int inFlightMax = Limits.standard().sharing().requestsInFlightPerSandboxMax();
        List<Client> greedy = new ArrayList<>();
        for (int i = 0; i < TOTAL_MAX / inFlightMax; i++) {
            String session = "00000000000001%02d".formatted(i);
            gateway.attach(session);
            for (int n = 0; n < inFlightMax; n++) {
                greedy.add(new Client(port(session)).send(GET.replace("/policy", "/git/held")));
            }
        }
        Await.until(() -> held.size() >= TOTAL_MAX / 2);
        for (int i = 0; i < 4; i++) {
            assertThat(Client.get(port(BYSTANDER), "/healthz")).startsWith("HTTP/1.1 200 OK");
        }
        assertThat(held.size()).isGreaterThanOrEqualTo(TOTAL_MAX / 2).isLessThan(TOTAL_MAX);
        for (Client client : greedy) {
            client.close();
        }
    }

    /// The head of each of them is allowed to take longer than this test.
    @Test
    void p10_slowHeadsOfASandboxDoNotKeepItsOwnNewConnectionsOut() throws Exception {
        int connectionsMax = Limits.standard().sharing().connectionsPerSandboxMax();
        List<Client> slow = new ArrayList<>();
        for (int i = 0; i < connectionsMax; i++) {
            slow.add(new Client(port(HOSTILE)).send("GET /git/x HTTP/1.1\r\nHost: loc"));
        }
        for (int i = 0; i < 8; i++) {
            assertThat(Client.get(port(HOSTILE), "/healthz")).startsWith("HTTP/1.1 200 OK");
        }
        int open = 0;
        for (Client client : slow) {
            open += client.isClosedByPeer() ? 0 : 1;
            client.close();
        }
        assertThat(open)
                .as("no more are closed than have to make room")
                .isGreaterThanOrEqualTo(100);
    }

    /// Nothing that is being answered is closed to make room.
    @Test
    void p10_requestsInFlightAreNotEvicted() throws Exception {
        List<Client> working = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            working.add(new Client(port(HOSTILE)).send(GET.replace("/policy", "/git/held")));
        }
        Await.until(() -> held.size() == 8);
        List<Client> slow = new ArrayList<>();
        for (int i = 8; i < Limits.standard().sharing().connectionsPerSandboxMax(); i++) {
            slow.add(new Client(port(HOSTILE)).send("GET /git/x HTTP/1.1\r\nHost: loc"));
        }
        assertThat(Client.get(port(HOSTILE), "/healthz")).startsWith("HTTP/1.1 200 OK");
        while (!held.isEmpty()) {
            held.remove().run();
        }
        for (Client client : working) {
            assertThat(client.until("\r\n\r\n")).startsWith("HTTP/1.1 204 ");
            client.close();
        }
        for (Client client : slow) {
            client.close();
        }
    }

    private int port(String session) {
        return gateway.httpPorts.getOrDefault(session, 0);
    }

    /// Opens connections that say `first` and then `then` over and over, and never read.
    private void attack(String first, String then, int everyMillis) throws Exception {
        Bootstrap bootstrap =
                new Bootstrap()
                        .group(attackers)
                        .channel(EpollSocketChannel.class)
                        .option(ChannelOption.AUTO_READ, false)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 60_000)
                        .handler(new Silent());
        InetSocketAddress target =
                new InetSocketAddress(
                        InetAddress.ofLiteral("127.0.0.1"),
                        gateway.httpPorts.getOrDefault(HOSTILE, 0));
        for (int i = 0; i < CONNECTIONS; i++) {
            Channel channel = bootstrap.connect(target).channel();
            hostile.add(channel);
            var _ = attackers.schedule(() -> say(channel, first), 50, TimeUnit.MILLISECONDS);
            var _ =
                    attackers.scheduleAtFixedRate(
                            () -> say(channel, then), 100, everyMillis, TimeUnit.MILLISECONDS);
        }
        // By then the first of them talk.
        Thread.sleep(500);
        int held = Limits.standard().sharing().connectionsPerSandboxMax();
        for (int i = 0; i < 600 && active() < held; i++) {
            Thread.sleep(50);
        }
        assertThat(active()).as("the attack takes place").isGreaterThanOrEqualTo(held);
    }

    private long active() {
        return hostile.stream().filter(Channel::isActive).count();
    }

    private static void say(Channel channel, String text) {
        if (channel.isActive() && channel.isWritable()) {
            var _ = channel.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
        }
    }

    private void assertBystanderIsServed() throws Exception {
        for (int i = 0; i < REQUESTS; i++) {
            String answer = Client.get(gateway.httpPorts.getOrDefault(BYSTANDER, 0), "/healthz");
            assertThat(answer).startsWith("HTTP/1.1 200 OK").endsWith("ok\n");
            Thread.sleep(12);
        }
    }

    /// Reads nothing and does not mind being cut off.
    @Sharable
    private static final class Silent extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            var _ = context.close();
        }
    }
}
