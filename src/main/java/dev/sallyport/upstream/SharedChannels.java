package dev.sallyport.upstream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// The channels of one [Lane] on which HTTP/2 is spoken. A call that finds none at rest gets a
/// stream on one that is busy, and waits for one that is being opened, before it opens another: a
/// sandbox's client that has many streams on one connection costs its host one handshake. On the
/// event loop of the sandbox's connection.
final class SharedChannels {
    private final Client client;

    /// The connection that each channel was opened for.
    private final List<Connection> open = new ArrayList<>();

    private final List<Opening> openings = new ArrayList<>();

    /// Hosts that chose HTTP/1.1, where nobody waits for another.
    private final Set<Place> alone = new HashSet<>();

    SharedChannels(Client client) {
        this.client = client;
    }

    /// As [Client#connect].
    CompletableFuture<Connection> connect(Asked asked, ConnectionKey key) {
        if (alone.contains(key.place()) || !key.holds()) {
            return client.dial(asked, key);
        }
        Optional<Connection> joined = join(key);
        if (joined.isPresent()) {
            return CompletableFuture.completedFuture(joined.get());
        }
        Opening opening =
                openings.stream()
                        .filter(one -> one.key.isFor(key) && one.hasRoom())
                        .findFirst()
                        .orElseGet(() -> new Opening(asked, key));
        return opening.await(asked);
    }

    private Optional<Connection> join(ConnectionKey key) {
        open.removeIf(one -> one.link().filter(link -> !link.isLeaving()).isEmpty());
        return open.stream()
                .filter(one -> one.key().isFor(key))
                .filter(one -> one.link().filter(Http2Link::isBusy).isPresent())
                .flatMap(one -> one.beside().stream())
                .findFirst();
    }

    private record Waiting(Asked asked, CompletableFuture<Connection> ready) {}

    /// A channel that is being opened. The first who waits gets its connection; the others get
    /// streams beside it when the host has said how many it takes, or go their own ways.
    private final class Opening {
        private final ConnectionKey key;
        private final Deque<Waiting> waiting = new ArrayDeque<>();
        private final CompletableFuture<Connection> dialled;

        Opening(Asked asked, ConnectionKey key) {
            this.key = key;
            openings.add(this);
            this.dialled = client.dial(asked, key);
            var _ =
                    dialled.whenComplete(
                            (connection, problem) -> {
                                if (problem == null) {
                                    opened(connection);
                                } else {
                                    failed(problem);
                                }
                            });
        }

        boolean hasRoom() {
            return waiting.size() < Http2Link.STREAMS_MAX;
        }

        CompletableFuture<Connection> await(Asked asked) {
            Waiting one = new Waiting(asked, new CompletableFuture<>());
            waiting.add(one);
            var _ = one.ready().whenComplete((_, _) -> left(one));
            return one.ready();
        }

        /// What nobody waits for any more is not opened.
        private void left(Waiting one) {
            if (waiting.remove(one) && waiting.isEmpty()) {
                openings.remove(this);
                dialled.cancel(false);
            }
        }

        private void failed(Throwable problem) {
            openings.remove(this);
            for (Waiting one = waiting.poll(); one != null; one = waiting.poll()) {
                one.ready().completeExceptionally(problem);
            }
        }

        private void opened(Connection connection) {
            Waiting first = waiting.poll();
            if (first == null) {
                connection.close();
                return;
            }
            Optional<Http2Link> link = connection.link();
            if (link.isPresent()) {
                open.add(connection);
                link.get()
                        .whenSettled(
                                client.limits().tlsHandshakeSecondsMax(),
                                () -> settled(connection));
            } else {
                alone.add(key.place());
                settled(connection);
            }
            give(first, connection);
        }

        private void give(Waiting one, Connection connection) {
            if (!one.ready().complete(connection)) {
                connection.close();
            }
        }

        private void settled(Connection connection) {
            openings.remove(this);
            for (Waiting one = waiting.poll(); one != null; one = waiting.poll()) {
                Optional<Connection> beside = connection.beside();
                if (beside.isPresent()) {
                    give(one, beside.get());
                } else {
                    goAlone(one);
                }
            }
        }

        private void goAlone(Waiting one) {
            CompletableFuture<Connection> own = client.dial(one.asked(), key);
            var _ = one.ready().whenComplete((_, _) -> own.cancel(false));
            var _ =
                    own.whenComplete(
                            (connection, problem) -> {
                                if (problem == null) {
                                    give(one, connection);
                                } else {
                                    one.ready().completeExceptionally(problem);
                                }
                            });
        }
    }
}
