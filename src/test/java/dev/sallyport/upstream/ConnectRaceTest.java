package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.egress.DeafHost;
import dev.sallyport.egress.TcpUpstream;
import dev.sallyport.fixture.Await;
import dev.sallyport.policy.SessionId;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Which connections are left when a race is decided.
final class ConnectRaceTest {
    private static final int SECONDS_MAX = 60;
    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

    @AfterEach
    void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private CompletableFuture<Channel> race(InetSocketAddress... addresses) {
        CompletableFuture<Channel> winner = new CompletableFuture<>();
        EventLoop loop = loops.next();
        Limits limits = DeafHost.patient(Limits.standard().egress());
        loop.execute(
                () ->
                        new Dialer.ConnectRace(SessionId.random(), loop, limits.upstream(), winner)
                                .start(List.of(addresses)));
        return winner;
    }

    private static void awaitConnecting(DeafHost host, int count) throws InterruptedException {
        Await.until(() -> host.connecting() == count);
    }

    @Test
    void theLosersAreClosedAndTheWinnerIsNot() throws Exception {
        try (DeafHost deaf = new DeafHost();
                TcpUpstream host = new TcpUpstream(TcpUpstream.Peer::takeAll)) {
            CompletableFuture<Channel> winner =
                    race(deaf.address(), InetLiteral.socketAddress(host.dial()));
            assertThat(winner).succeedsWithin(SECONDS_MAX, TimeUnit.SECONDS);
            awaitConnecting(deaf, 0);
            assertThat(winner.join().isActive()).isTrue();
            assertThat(host.connections()).isEqualTo(1);
        }
    }

    @Test
    void aRaceThatNobodyWaitsForEnds() throws Exception {
        try (DeafHost deaf = new DeafHost()) {
            CompletableFuture<Channel> winner = race(deaf.address(), deaf.address());
            awaitConnecting(deaf, 2);
            winner.cancel(false);
            awaitConnecting(deaf, 0);
        }
    }
}
