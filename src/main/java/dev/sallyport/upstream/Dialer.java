package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Reach;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

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
}
