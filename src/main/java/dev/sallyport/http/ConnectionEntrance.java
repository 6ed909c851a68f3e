package dev.sallyport.http;

import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutor;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;

/// Lets connections of a sandbox in while it has not enough of them and does not make them too
/// fast. One that finds no place waits here, unserved. Belongs to one event loop.
public final class ConnectionEntrance {
    private static final long TOO_FAST_PAUSE_MILLIS = 100;
    private static final long FULL_PAUSE_MILLIS = 1_000;

    /// What a sandbox can have open when the others together have reached the total.
    private static final int RESERVE = 8;

    /// Who is behind it.
    public interface Inside {
        void admit(Channel connection);

        /// Whether somebody waits has perhaps changed.
        default void looked(boolean somebodyWaits) {}
    }

    private final ConnectionShare share;
    private final ConnectionTotal total;
    private final EventExecutor loop;
    private final Inside inside;
    private final Runnable whenFree = this::lookLater;
    private final SequencedSet<Channel> held = new LinkedHashSet<>();
    private boolean looksAgain;
    private boolean closed;

    /// @param share of the sandbox, which its other entrances have too
    public ConnectionEntrance(
            ConnectionShare share, ConnectionTotal total, EventExecutor loop, Inside inside) {
        this.share = share;
        this.total = total;
        this.loop = loop;
        this.inside = inside;
    }

    /// From any thread. Those that come after the end are not served.
    public void offer(Channel connection) {
        if (!loop.inEventLoop()) {
            loop.execute(() -> offer(connection));
            return;
        }
        if (closed) {
            connection.unsafe().closeForcibly();
            return;
        }
        Spare.mark(connection, false);
        held.add(connection);
        look();
        if (held.contains(connection)) {
            connection.closeFuture().addListener(_ -> forgetLater(connection));
        }
    }

    private void forgetLater(Channel connection) {
        loop.execute(() -> held.remove(connection));
    }

    /// From any thread. Those that wait are not served any more.
    public void close() {
        if (!loop.inEventLoop()) {
            loop.execute(this::close);
            return;
        }
        closed = true;
        total.forget(whenFree);
        share.forget(whenFree);
        held.forEach(connection -> connection.unsafe().closeForcibly());
        held.clear();
    }

    private void look() {
        if (closed) {
            return;
        }
        while (!held.isEmpty() && admits(held.getFirst())) {
            inside.admit(held.removeFirst());
        }
        inside.looked(!held.isEmpty());
    }

    /// A sandbox with few connections is let in even when the total is reached, so that the others
    /// together cannot lock it out.
    private boolean admits(Channel connection) {
        if (share.size() >= RESERVE && total.isReached(whenFree)) {
            return false;
        }
        return switch (share.enter(connection, whenFree)) {
            case IN -> {
                total.opened();
                connection.closeFuture().addListener(_ -> closed(connection));
                yield true;
            }
            case FULL -> {
                lookAgain(FULL_PAUSE_MILLIS);
                yield false;
            }
            case TOO_FAST -> {
                lookAgain(TOO_FAST_PAUSE_MILLIS);
                yield false;
            }
        };
    }

    private void closed(Channel connection) {
        total.closed();
        share.left(connection);
    }

    private void lookLater() {
        loop.execute(this::look);
    }

    /// One that waits may wait long enough by then to make room.
    private void lookAgain(long millis) {
        if (!looksAgain) {
            looksAgain = true;
            var _ =
                    loop.schedule(
                            () -> {
                                looksAgain = false;
                                look();
                            },
                            millis,
                            TimeUnit.MILLISECONDS);
        }
    }
}
