package dev.sallyport.sandbox;

import dev.sallyport.policy.SessionId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;

/// Tells when the first processes of sandboxes have ended. One thread waits for all of them, on
/// descriptors that pin them, because that works for processes that this one did not start, which
/// is the case after a restart, and costs nothing while nothing happens.
public final class EndWatch {
    /// How soon one that is added is waited for. What ends earlier is not missed.
    private static final int JOIN_MILLIS_MAX = 1_000;

    private static final EndWatch ALL = new EndWatch();

    private record Key(SessionId id, Identity identity) {}

    private record Watched(Key key, int descriptor, Consumer<SessionId> listener) {
        void tell() {
            PidDescriptor.close(descriptor);
            Thread.ofVirtual().name("end-of-" + key.id()).start(() -> listener.accept(key.id()));
        }
    }

    private final Map<Key, Watched> watched = new HashMap<>();
    private boolean waiting;

    private EndWatch() {}

    /// Watching the same process again changes nothing.
    public static void start(SessionId id, Identity identity, Consumer<SessionId> listener) {
        ALL.add(new Key(id, identity), listener);
    }

    private synchronized void add(Key key, Consumer<SessionId> listener) {
        if (watched.containsKey(key)) {
            return;
        }
        OptionalInt pinned =
                PidDescriptor.open(
                        key.identity().pid(), () -> ProcessIdentity.isAlive(key.identity()));
        if (pinned.isEmpty()) {
            Thread.ofVirtual().start(() -> listener.accept(key.id()));
            return;
        }
        watched.put(key, new Watched(key, pinned.getAsInt(), listener));
        if (!waiting) {
            waiting = true;
            Thread.ofPlatform().daemon().name("end-watch").start(this::run);
        }
    }

    private void run() {
        for (List<Watched> now = present(); !now.isEmpty(); now = present()) {
            int[] descriptors = now.stream().mapToInt(Watched::descriptor).toArray();
            BitSet ended = PidDescriptor.awaitEnd(descriptors, JOIN_MILLIS_MAX);
            ended.stream().mapToObj(now::get).forEach(this::tell);
        }
    }

    private synchronized List<Watched> present() {
        waiting = !watched.isEmpty();
        return List.copyOf(watched.values());
    }

    private synchronized void tell(Watched one) {
        watched.remove(one.key());
        one.tell();
    }
}
