package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// Gives gateways and sidecars sockets for published ports when they ask. One at a time for each
/// session, with a pause, so that a compromised gateway cannot keep the machine busy by asking.
final class SocketSupply {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Set<SessionId> busy = ConcurrentHashMap.newKeySet();
    private volatile Consumer<SessionId> supplier = _ -> {};

    /// @param supply may take as long as a process does to start
    void by(Consumer<SessionId> supply) {
        supplier = supply;
    }

    /// Returns at once. Who asks again while it is being supplied is not heard, and asks again.
    void wanted(SessionId id) {
        if (busy.add(id)) {
            Thread.ofVirtual().name("sockets").start(() -> supply(id));
        }
    }

    private void supply(SessionId id) {
        try {
            supplier.accept(id);
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            busy.remove(id);
        }
    }
}
