package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Connects to the host and port that a permit names: one address that was resolved once and
/// classified, or the one that a person fixed. Proxies of the environment do not exist for it (I8).
public final class Dialer {
    private final Limits.Upstream limits;
    private final Resolver resolver;

    /// One that asks the system's resolver.
    public Dialer(Limits.Upstream limits, Resolver resolver) {
        this.limits = limits;
        this.resolver = resolver;
    }

    /// A connected channel on `loop`, without handlers and with auto-read off; the caller owns it
    /// and gets it on that loop. Fails with an [UpstreamException]. Whoever does not want it any
    /// more cancels, and nothing is looked up or connected to for it after that.
    public CompletableFuture<Channel> dial(EgressPermit permit, EventLoop loop) {
        return dial(permit, new Place(permit.host(), permit.port(), true, permit.reach()), loop);
    }

    /// As above.
    ///
    /// @param place of the permitted host
    CompletableFuture<Channel> dial(Permit permit, Place place, EventLoop loop) {
        CompletableFuture<Channel> connected = new CompletableFuture<>();
        CompletableFuture<List<InetSocketAddress>> addresses =
                addresses(permit, place).orTimeout(limits.connectSecondsMax(), TimeUnit.SECONDS);
        var _ =
                addresses.whenComplete(
                        (found, problem) ->
                                loop.execute(() -> race(permit, loop, found, problem, connected)));
        var _ = connected.whenComplete((_, _) -> addresses.cancel(false));
        return connected;
    }

    private CompletableFuture<List<InetSocketAddress>> addresses(Permit permit, Place place) {
        Reach reach = place.reach();
        return reach.dial().isPresent()
                ? CompletableFuture.completedFuture(
                        List.of(InetLiteral.socketAddress(reach.dial().get())))
                : resolver.resolve(
                        permit.session(), place.host(), place.port(), reach.privateAddresses());
    }

    private void race(
            Permit permit,
            EventLoop loop,
            List<InetSocketAddress> found,
            Throwable problem,
            CompletableFuture<Channel> connected) {
        if (problem == null) {
            new ConnectRace(permit.session(), loop, limits, connected).start(found);
        } else {
            connected.completeExceptionally(UpstreamException.of(problem));
        }
    }

    /// Tries the usable addresses of a host, each a moment after the one before (RFC 8305). The
    /// first connection wins and is the only one on which anything is ever said; when the race is
    /// decided, or nobody waits for its winner any more, the others are closed. Runs on one event
    /// loop.
    static final class ConnectRace {
        private static final int STAGGER_MILLIS = 250;
        private static final WriteBufferWaterMark SEND_BUFFER =
                new WriteBufferWaterMark(128 * 1024, 512 * 1024);

        private final SessionId session;
        private final EventLoop loop;
        private final Limits.Upstream limits;
        private final CompletableFuture<Channel> winner;
        private final Deque<InetSocketAddress> waiting = new ArrayDeque<>();
        private final List<Channel> attempts = new ArrayList<>();
        private int running;
        private boolean timedOut;

        ConnectRace(
                SessionId session,
                EventLoop loop,
                Limits.Upstream limits,
                CompletableFuture<Channel> winner) {
            this.session = session;
            this.loop = loop;
            this.limits = limits;
            this.winner = winner;
        }

        void start(List<InetSocketAddress> addresses) {
            waiting.addAll(addresses);
            next();
            var _ = winner.whenComplete((first, _) -> loop.execute(() -> closeAllBut(first)));
        }

        private void closeAllBut(@Nullable Channel first) {
            for (Channel attempt : attempts) {
                if (!attempt.equals(first)) {
                    var _ = attempt.close();
                }
            }
        }

        private void next() {
            InetSocketAddress address = waiting.poll();
            if (address == null || winner.isDone()) {
                return;
            }
            running++;
            ChannelFuture connecting =
                    new Bootstrap()
                            .group(loop)
                            .channel(EpollSocketChannel.class)
                            .option(ChannelOption.TCP_NODELAY, true)
                            .option(ChannelOption.AUTO_READ, false)
                            .option(
                                    ChannelOption.CONNECT_TIMEOUT_MILLIS,
                                    (int) TimeUnit.SECONDS.toMillis(limits.connectSecondsMax()))
                            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, SEND_BUFFER)
                            .handler(new ReadTurns(session))
                            .connect(address);
            attempts.add(connecting.channel());
            connecting.addListener((ChannelFuture done) -> finished(done));
            if (!waiting.isEmpty()) {
                var _ = loop.schedule(this::next, STAGGER_MILLIS, TimeUnit.MILLISECONDS);
            }
        }

        private void finished(ChannelFuture done) {
            running--;
            if (done.isSuccess()) {
                if (!winner.complete(done.channel())) {
                    var _ = done.channel().close();
                }
                return;
            }
            timedOut |= done.cause() instanceof ConnectTimeoutException;
            if (!waiting.isEmpty()) {
                next();
            } else if (running == 0) {
                winner.completeExceptionally(
                        new UpstreamException(
                                timedOut
                                        ? Refusal.UPSTREAM_TIMEOUT
                                        : Refusal.UPSTREAM_UNREACHABLE));
            }
        }
    }
}
