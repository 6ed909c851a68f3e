package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// The way out for single requests to hosts besides git. What is asked, and with which secret, is
/// in the order; no environment variable, proxy or redirect changes where it goes.
public final class WebUpstream {
    /// Certificates that rules bring along; more are read anew each time.
    private static final int CONTEXTS_MAX = 64;

    private final Limits.Upstream limits;
    private final Dialer dialer;
    private final SslContext systemTrust = Trust.web(Optional.empty());
    private final Map<String, SslContext> ruleTrust = new ConcurrentHashMap<>();

    public WebUpstream(Limits.Upstream limits, Dialer dialer) {
        this.limits = limits;
        this.dialer = dialer;
    }

    /// For one connection of a sandbox. What is connected for it is shared with no other.
    public KeptConnections connections() {
        return new KeptConnections(this);
    }

    /// A verified connection for the order; fails with an [UpstreamException]. Both on `loop`,
    /// where whoever does not want it any more cancels.
    CompletableFuture<WebConnection> connect(WebOrder order, EventLoop loop) {
        Optional<SslContext> trust;
        try {
            trust = order.tls() ? Optional.of(trust(order)) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(new UpstreamException(Refusal.INTERNAL, e));
        }
        CompletableFuture<WebConnection> ready = new CompletableFuture<>();
        CompletableFuture<Channel> dialled = dialer.dial(order.permit(), loop);
        var _ = ready.whenComplete((_, _) -> dialled.cancel(false));
        var _ =
                dialled.whenComplete(
                        (channel, problem) -> {
                            if (problem == null) {
                                var tls = trust.map(one -> tls(one, order, channel.alloc()));
                                WebConnection.open(channel, tls, order, limits, ready);
                            } else {
                                ready.completeExceptionally(problem);
                            }
                        });
        return ready;
    }

    /// The name goes into SNI and is what the certificate must be for, whatever address was
    /// dialled.
    private SslHandler tls(SslContext trust, WebOrder order, ByteBufAllocator alloc) {
        SslHandler tls =
                trust.newHandler(alloc, order.permit().host().value(), order.permit().port());
        tls.setHandshakeTimeout(limits.tlsHandshakeSecondsMax(), TimeUnit.SECONDS);
        tls.setCloseNotifyFlushTimeoutMillis(1_000);
        return tls;
    }

    private SslContext trust(WebOrder order) {
        Optional<String> caPem = order.permit().reach().caPem();
        if (caPem.isEmpty()) {
            return systemTrust;
        }
        if (ruleTrust.size() >= CONTEXTS_MAX) {
            ruleTrust.clear();
        }
        return ruleTrust.computeIfAbsent(caPem.get(), pem -> Trust.web(Optional.of(pem)));
    }
}
