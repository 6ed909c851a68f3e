package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What is connected upstream for one connection of a sandbox, and for no other: an answer that
/// comes too late or too often cannot become another sandbox's (E12). Used on that connection's
/// event loop only.
public final class KeptConnections implements AutoCloseable {
    /// HTTP/2 asks for several things at once.
    private static final int KEPT_MAX = 4;

    private final WebUpstream upstream;
    private final Deque<WebConnection> kept = new ArrayDeque<>();
    private boolean closed;

    KeptConnections(WebUpstream upstream) {
        this.upstream = upstream;
    }

    /// Begins a call. What comes of it is told to `events`, later and on `loop`.
    public WebCall call(
            WebOrder order, CredentialBook credentials, EventLoop loop, WebEvents events) {
        WebCall call = new WebCall(this, order, credentials, loop, events);
        loop.execute(call::start);
        return call;
    }

    CompletableFuture<WebConnection> connect(WebOrder order, EventLoop loop) {
        return upstream.connect(order, loop);
    }

    /// One that has served an order to the same place, completely and with nothing left over.
    Optional<WebConnection> take(WebOrder order) {
        for (@Nullable WebConnection next = kept.poll(); next != null; next = kept.poll()) {
            if (next.isFree() && next.serves(order)) {
                return Optional.of(next);
            }
            next.close();
        }
        return Optional.empty();
    }

    void keep(WebConnection connection) {
        if (closed || kept.size() >= KEPT_MAX) {
            connection.close();
        } else {
            connection.rest();
            kept.push(connection);
        }
    }

    /// Ends what is kept. Calls that are under way are ended by whoever made them.
    @Override
    public void close() {
        closed = true;
        kept.forEach(WebConnection::close);
        kept.clear();
    }
}
