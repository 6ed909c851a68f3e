package dev.sallyport.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Limits;
import dev.sallyport.control.Api;
import dev.sallyport.control.HostApi;
import dev.sallyport.fixture.FakeGateway;
import dev.sallyport.fleet.FleetAuthority;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.fleet.SignedAddresses;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Where a host lets a gateway send it to.
class GatewayClientTest {
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final GatewayClient client = FakeGateway.client(loops.next());
    private final HostKey host = HostKey.inMemory();

    private @TempDir Path temporary;
    private FleetAuthority authority;
    private FakeGateway first;
    private FakeGateway second;

    @BeforeEach
    void start() throws Exception {
        authority = FakeGateway.authority(temporary.resolve("own"), Duration.ZERO);
        first = new FakeGateway(authority);
        second = new FakeGateway(authority);
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private String ask(List<String> addresses) throws Exception {
        return client.ask(
                        new GatewayClient.Place(addresses, authority.authorityPems()),
                        host,
                        "end",
                        new HostApi.OfSession("00000000000000aa"),
                        Api.Done.class)
                .address();
    }

    private FakeGateway.Said sentTo(FakeGateway gateway) throws Exception {
        return FakeGateway.Said.elsewhere(
                authority.signed(SignedAddresses.Use.ELSEWHERE, List.of(gateway.address())));
    }

    @Test
    void goesWhereTheWardenOfAGatewaySendsIt() throws Exception {
        first.said = sentTo(second);
        assertThat(ask(List.of(first.address()))).isEqualTo(second.address());
        assertThat(second.asked).hasValue(1);
    }

    @Test
    void goesNowhereThatTheWardenHasNotSignedJustNow() throws Exception {
        for (String lie :
                FakeGateway.lies(
                        SignedAddresses.Use.ELSEWHERE,
                        List.of(second.address()),
                        temporary.resolve("own"),
                        temporary.resolve("other"))) {
            first.said = FakeGateway.Said.elsewhere(lie);
            assertThatThrownBy(() -> ask(List.of(first.address())))
                    .isInstanceOfSatisfying(
                            GatewayException.class,
                            e -> {
                                assertThat(e.status()).isEqualTo(GatewayException.ELSEWHERE);
                                assertThat(e.remedy()).isEqualTo("Try again in a moment.");
                            });
        }
        assertThat(first.asked).hasValue(7);
        assertThat(second.asked).hasValue(0);
    }

    /// After so many addresses where nobody listens.
    private List<String> behind(int many, String network) {
        String port = first.address().substring(first.address().indexOf(':'));
        return Stream.concat(
                        IntStream.rangeClosed(1, many).mapToObj(i -> network + i + port),
                        Stream.of(first.address()))
                .toList();
    }

    @Test
    void asksAtFortyAddressesAtMost() throws Exception {
        assertThatThrownBy(() -> ask(behind(40, "127.0.1.")))
                .isInstanceOfSatisfying(
                        GatewayException.class,
                        e -> assertThat(e.status()).isEqualTo(GatewayException.UNAVAILABLE));
        assertThat(first.asked).hasValue(0);
        assertThat(ask(behind(39, "127.0.2."))).isEqualTo(first.address());
    }

    private GatewayClient looking(NameLookups.Lookup lookup) {
        return new GatewayClient(() -> Limits.standard().upstream(), loops.next(), lookup);
    }

    private String named(String name) {
        return name + first.address().substring(first.address().indexOf(':'));
    }

    private static InetAddress address(String literal) {
        return InetAddress.ofLiteral(literal);
    }

    @Test
    void aLineLeadsToWhicheverAddressOfTheNameAnswers() throws Exception {
        GatewayClient several =
                looking(
                        _ ->
                                new InetAddress[] {
                                    address("127.0.3.1"), address("127.0.3.2"), address("127.0.0.1")
                                });
        several.connect(named("gw.example")).close();
        GatewayClient none = looking(_ -> new InetAddress[] {address("127.0.3.1")});
        assertThatThrownBy(() -> none.connect(named("gw.example"))).isInstanceOf(IOException.class);
    }

    /// A lookup on a virtual thread would hold up whatever else runs on those.
    @Test
    void aNameServerThatIsSilentKeepsNobodyForLong() throws Exception {
        CountDownLatch silent = new CountDownLatch(1);
        Queue<Boolean> virtual = new ConcurrentLinkedQueue<>();
        GatewayClient client =
                looking(
                        name -> {
                            virtual.add(Thread.currentThread().isVirtual());
                            if (name.equals("silent.example")) {
                                awaitUninterruptibly(silent);
                            }
                            return new InetAddress[] {address("127.0.0.1")};
                        });
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<FileDescriptor>> lines =
                    IntStream.range(0, 5)
                            .mapToObj(
                                    _ ->
                                            threads.submit(
                                                    () -> client.connect(named("silent.example"))))
                            .toList();
            client.connect(named("gw.example")).close();
            for (Future<FileDescriptor> line : lines) {
                assertThatThrownBy(() -> line.get(60, TimeUnit.SECONDS))
                        .hasMessageContaining("the name server does not answer in time");
            }
        } finally {
            silent.countDown();
        }
        assertThat(virtual).as("one lookup for each name").containsExactly(false, false);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
