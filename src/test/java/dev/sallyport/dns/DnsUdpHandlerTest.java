package dev.sallyport.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.HandClock;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class DnsUdpHandlerTest {
    private static final InetSocketAddress CLIENT =
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 40_000);
    private static final InetSocketAddress US =
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 53);

    @Test
    void p10_stopsReadingForAMomentWhenASandboxAsksTooFast() {
        EmbeddedChannel channel =
                new EmbeddedChannel(
                        new DnsUdpHandler(
                                DnsAnswersTest.answers(new ArrayList<>()),
                                new DnsRate(new Limits.Dns(5, 2, 10), new HandClock())));
        channel.freezeTime();
        for (int i = 0; i < 20; i++) {
            channel.writeInbound(
                    new DatagramPacket(Queries.of("github.com", 1, false), US, CLIENT));
        }
        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(channel.outboundMessages()).hasSize(5);
        DatagramPacket reply = channel.readOutbound();
        assertThat(reply.recipient()).isEqualTo(CLIENT);
        channel.advanceTimeBy(1, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.config().isAutoRead()).isTrue();
        channel.finishAndReleaseAll();
    }
}
