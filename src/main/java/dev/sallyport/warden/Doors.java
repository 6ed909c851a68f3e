package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.porter.Listener;
import dev.sallyport.porter.Opening;
import dev.sallyport.porter.Porter;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// Opens and closes the sockets through which one running sandbox reaches the gateway.
///
/// @param link to the gateway process here
/// @param sidecars of those that have their gateway elsewhere
record Doors(Porter porter, GatewayLink link, Sidecars sidecars) {
    private static final System.Logger LOG = System.getLogger(Doors.class.getName());

    /// Long enough for a gateway that has just died to be replaced.
    private static final Duration OPEN_MAX = Duration.ofSeconds(60);

    /// Usually it takes milliseconds, with a new gateway a second.
    private static final Duration SETTLE_MAX = Duration.ofSeconds(10);

    /// Long enough for a large repository to be fetched.
    private static final Duration LEND_MAX = Duration.ofMinutes(30);

    /// Comes before the doors open; when it fails, they stay shut.
    interface Before {
        void run() throws IOException, OperationException;
    }

    boolean areOpen(SessionId id) {
        return link(id).isAttached(id.value());
    }

    /// Whether the session is attached to this gateway.
    boolean mayOpen(SessionId id) {
        return link.holds(id);
    }

    /// Returns at once; the doors are open when the future completes. Ports that cannot be opened
    /// are tried again later.
    ///
    /// @param before called when nothing else is missing
    CompletableFuture<Void> open(Session session, Before before)
            throws IOException, OperationException {
        return open(session, ports().settle(session, OpenPorts.NONE), before);
    }

    private CompletableFuture<Void> open(Session session, OpenPorts opened, Before before)
            throws IOException, OperationException {
        List<Listener> listeners;
        try {
            listeners = ports().open(session, Opening.doors());
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
        GatewayLink to;
        try {
            to = session.isCarried() ? sidecar(session) : link;
        } catch (OperationException | RuntimeException e) {
            listeners.stream().map(Listener::descriptor).forEach(OpenPorts::close);
            opened.close();
            throw e;
        }
        return to.attach(session, listeners, opened, before);
    }

    private GatewayLink sidecar(Session session) throws OperationException {
        GatewayLink own = sidecars.start(session);
        own.supply().by(this::supply);
        return own;
    }

    /// Where the session is attached, or would be.
    private GatewayLink link(SessionId id) {
        return sidecars.link(id).orElse(link);
    }

    /// The session as its doors were opened or changed last.
    Optional<Session> session(SessionId id) {
        return link(id).session(id);
    }

    private Ports ports() {
        return new Ports(porter);
    }

    /// With all of its ports.
    void openAndWait(Session session) throws IOException, OperationException {
        try {
            open(session, ports().openAll(session), () -> {})
                    .get(OPEN_MAX.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof OperationException refusal
                    ? refusal
                    : OperationException.failed(e);
        } catch (TimeoutException | CancellationException e) {
            throw new IOException("the gateway did not take the sandbox in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the gateway took the sandbox", e);
        }
    }

    /// Gives the gateway time to go by what the session may do now, so that the next command finds
    /// it so. That is stored in any case, and a new gateway is told again. A gateway on another
    /// machine was told by its own daemon. The lock of the sandbox's name is not held meanwhile:
    /// what ends the sandbox must not wait for a gateway.
    void settle(Session session) {
        if (!session.isCarried()) {
            settle(link.settled(session.id()), () -> link.stopWaiting(session.id()));
        }
    }

    /// The same for all that have doors.
    void settleAll() {
        settle(link.allSettled(), link::stopWaiting);
    }

    private static void settle(CompletableFuture<Void> settled, Runnable late) {
        try {
            settled.get(SETTLE_MAX.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(System.Logger.Level.WARNING, "the gateway has not yet taken new rights", e);
            late.run();
        } catch (CancellationException _) {
            // The sandbox has no doors any more.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Whether it was shared in time; see [GatewayLink#lend].
    boolean lend(SessionId id, String repo, Path directory) {
        if (sidecars.link(id).isPresent()) {
            return false;
        }
        try {
            return link.lend(id, repo, directory).get(LEND_MAX.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | CancellationException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// The session's rights or its published ports are others now.
    void change(Session session) {
        GatewayLink to = link(session.id());
        to.change(session);
        to.ports(session.id())
                .ifPresent(present -> to.changePorts(session, ports().settle(session, present)));
    }

    /// Opens ports that were published just now: all of them, or an error. Without doors there is
    /// nothing to do yet.
    void publish(Session session) throws OperationException {
        GatewayLink to = link(session.id());
        Optional<OpenPorts> present = to.ports(session.id());
        if (present.isPresent()) {
            to.changePorts(session, ports().publish(session, present.get()));
        }
    }

    /// The sessions that lack some of their ports.
    List<SessionId> lackingPorts() {
        return Stream.concat(Stream.of(link), sidecars.links())
                .flatMap(to -> to.lackingPorts().stream())
                .toList();
    }

    /// Why some of its ports are not open.
    List<String> troubles(SessionId id) {
        return link(id).ports(id).map(OpenPorts::troubles).orElse(List.of());
    }

    /// Gives the gateway more sockets for published ports.
    void supply(SessionId id) {
        GatewayLink to = link(id);
        Optional<Session> session = to.session(id);
        if (session.isEmpty() || session.get().published().isEmpty()) {
            return;
        }
        try {
            to.supply(id, ports().sockets(session.get()));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "no sockets for published ports", e);
        }
    }

    void close(SessionId id) {
        sidecars.stop(id);
        link.detach(id);
    }
}
