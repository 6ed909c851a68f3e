package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// The client's side of TLS. Whoever may not share a connection has a context of his own, because a
/// context keeps the tickets of its sessions: with a common one a sandbox would resume what another
/// began, and the host would see that they are neighbours. What OpenSSL keeps for a context is not
/// seen by the garbage collector, so it is counted who uses one: the table does, and every
/// connection.
final class TlsContexts {
    private static final int KEPT_MAX = 256;

    /// Certificates that rules bring along; more are read anew each time.
    private static final int TRUSTED_MAX = 64;

    private record Kept(ConnectionKey key, SslContext context) {}

    private final Map<Optional<String>, TrustManagerFactory> trusted = new HashMap<>();

    /// The one that was made first is the first.
    private final List<Kept> kept = new ArrayList<>();

    /// Speaks for the client on a new connection.
    ///
    /// @throws IllegalArgumentException for certificates that cannot be read
    SslHandler handler(ConnectionKey key, ByteBufAllocator alloc, Limits.Upstream limits) {
        Place place = key.place();
        SslContext context = of(key);
        try {
            SslHandler tls = context.newHandler(alloc, place.host().value(), place.port());
            tls.setHandshakeTimeout(limits.tlsHandshakeSecondsMax(), TimeUnit.SECONDS);
            tls.setCloseNotifyFlushTimeoutMillis(1_000);
            return tls;
        } finally {
            ReferenceCountUtil.release(context);
        }
    }

    /// The caller releases it.
    private synchronized SslContext of(ConnectionKey key) {
        for (Kept one : kept) {
            if (one.key().sharesTls(key)) {
                return ReferenceCountUtil.retain(one.context());
            }
        }
        SslContext made = Trust.client(trust(key.place().reach().caPem()), key.http2());
        if (key.holds()) {
            kept.add(new Kept(key, ReferenceCountUtil.retain(made)));
            if (kept.size() > KEPT_MAX) {
                drop(kept.removeFirst());
            }
        }
        return made;
    }

    /// Reads the certificates that somebody configured for a host. The system's are read with the
    /// first connection that needs them: there are many, and a spare gateway needs none.
    ///
    /// @throws IllegalArgumentException when that cannot be done
    void require(String caPem) {
        var _ = trust(Optional.of(caPem));
    }

    private synchronized TrustManagerFactory trust(Optional<String> caPem) {
        @Nullable TrustManagerFactory known = trusted.get(caPem);
        if (known != null) {
            return known;
        }
        TrustManagerFactory read = Trust.of(caPem);
        if (trusted.size() >= TRUSTED_MAX) {
            trusted.clear();
        }
        trusted.put(caPem, read);
        return read;
    }

    private static void drop(Kept one) {
        ReferenceCountUtil.release(one.context());
    }

    /// Forgets the sessions of those whose rights are over.
    synchronized void sweep() {
        kept.removeIf(
                one -> {
                    boolean over = one.key().book().isRetired();
                    if (over) {
                        drop(one);
                    }
                    return over;
                });
    }
}
