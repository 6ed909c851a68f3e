package dev.sallyport.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.Message;
import dev.sallyport.config.GitSettings;
import dev.sallyport.control.Api;
import dev.sallyport.control.HostApi;
import dev.sallyport.fixture.FakeGateway;
import dev.sallyport.fleet.FleetAuthority;
import dev.sallyport.fleet.SignedAddresses;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which addresses of gateways a pod learns.
class PodGatewayTest {
    private static final String SESSION = "00000000000000aa";
    private static final String OTHER = "gw2.example.com:8443";

    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

    private @TempDir Path temporary;
    private FleetAuthority authority;
    private FakeGateway fake;
    private PodGateway pod;

    @BeforeEach
    void start() throws Exception {
        authority = FakeGateway.authority(temporary.resolve("own"), Duration.ZERO);
        fake = new FakeGateway(authority);
        PodSettings settings =
                new PodSettings(
                        fake.address(),
                        new HostApi.Open(
                                "fix-1",
                                List.of(),
                                new Api.ReachRequest(List.of(), List.of(), true, false, List.of()),
                                GitSettings.STANDARD,
                                Api.LifeRequest.STANDARD),
                        authority.authorityPems(),
                        temporary.resolve("token"),
                        temporary.resolve("inside"));
        pod = new PodGateway(settings, FakeGateway.client(loops.next()));
    }

    @AfterEach
    void stop() {
        fake.close();
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private Message.Certified certified(String gateways) throws Exception {
        fake.said =
                new FakeGateway.Said(
                        200, new HostApi.Certificate("certificate", List.of(), gateways));
        return pod.certify(SESSION, "key", "");
    }

    @Test
    void learnsWhatTheWardenOfTheGatewayHasSigned() throws Exception {
        Message.Certified made =
                certified(authority.signed(SignedAddresses.Use.GATEWAYS, List.of(OTHER)));
        assertThat(made.gateway()).isEqualTo(fake.address());
        assertThat(pod.hasSeveral()).isTrue();
    }

    @Test
    void learnsNothingThatTheWardenHasNotSignedJustNow() throws Exception {
        for (String lie :
                FakeGateway.lies(
                        SignedAddresses.Use.GATEWAYS,
                        List.of(OTHER),
                        temporary.resolve("own"),
                        temporary.resolve("other"))) {
            assertThat(certified(lie).gateway()).isEqualTo(fake.address());
            assertThat(pod.hasSeveral()).as(lie).isFalse();
        }
    }
}
