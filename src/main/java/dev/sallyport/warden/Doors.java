package dev.sallyport.warden;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.policy.SessionId;
import dev.sallyport.porter.Listener;
import dev.sallyport.porter.Porter;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Opens and closes the sockets through which one running sandbox reaches the gateway.
record Doors(Porter porter, GatewayLink link) {
    /// Long enough for a gateway that has just died to be replaced.
    private static final Duration OPEN_MAX = Duration.ofSeconds(60);

    /// Long enough for a large repository to be fetched.
    private static final Duration LEND_MAX = Duration.ofMinutes(30);

    /// Comes before the doors open; when it fails, they stay shut.
    interface Before {
        void run() throws IOException, OperationException;
    }

    boolean areOpen(SessionId id) {
        return link.isAttached(id.value());
    }

    /// Returns at once; the doors are open when the future completes.
    ///
    /// @param before called when nothing else is missing
    CompletableFuture<Void> open(Session session, Before before)
            throws IOException, OperationException {
        Identity identity = session.identity().orElseThrow();
        List<Listener> listeners =
                porter.open(
                        identity.pid(),
                        identity.netNamespaceInode(),
                        List.of(ListenerKind.values()));
        return link.attach(session, listeners, before);
    }

    void openAndWait(Session session) throws IOException, OperationException {
        try {
            open(session, () -> {}).get(OPEN_MAX.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | CancellationException e) {
            throw new IOException("the gateway did not take the sandbox in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the gateway took the sandbox", e);
        }
    }

    /// Whether it was shared in time; see [GatewayLink#lend].
    boolean lend(SessionId id, String repo, Path directory) {
        try {
            return link.lend(id, repo, directory).get(LEND_MAX.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | CancellationException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// The session's rights are others now.
    void change(Session session) {
        link.change(session);
    }

    void close(SessionId id) {
        link.detach(id);
    }
}
