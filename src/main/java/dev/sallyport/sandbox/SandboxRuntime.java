package dev.sallyport.sandbox;

import dev.sallyport.policy.SessionId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;

/// Makes, finds and removes sandboxes of one kind. Every method may block.
public interface SandboxRuntime {
    RuntimeKind kind();

    /// Empty when this runtime can be used here; otherwise a sentence that says what is missing and
    /// what to do.
    Optional<String> obstacle();

    /// Makes the sandbox and starts its idle first process in a network namespace that holds only
    /// loopback. No command of the person's has run when this returns.
    Identity create(SandboxSpec spec) throws SandboxException;

    /// Starts a stopped sandbox again; it has a new identity.
    ///
    /// @param before who it was; what else stands in its place is not started
    Identity start(SandboxSpec spec, Optional<Identity> before) throws SandboxException;

    /// Ends all its processes; [#start] works afterwards.
    void stop(SandboxSpec spec, Identity identity) throws SandboxException;

    /// Removes everything that it owns. Succeeds when nothing is left, even if nothing was there.
    void destroy(SandboxSpec spec, Optional<Identity> identity) throws SandboxException;

    /// Removes what is left of one that could not be made.
    default void removeAfterFailure(SandboxSpec spec, SandboxException failure) {
        try {
            destroy(spec, Optional.empty());
        } catch (SandboxException e) {
            failure.addSuppressed(e);
        }
    }

    /// It is about to be ended for good because a person or a limit says so, and not because it
    /// could not be made: nobody gets another in its place by asking again. Never fails.
    default void condemn(SandboxSpec spec) {
        // Most are asked for by the person alone.
    }

    /// Whether exactly this sandbox still runs: same first process, same start time, same
    /// namespace.
    default boolean isAlive(SandboxSpec spec, Identity identity) {
        return ProcessIdentity.isAlive(identity);
    }

    /// Refuses what needs a sandbox that runs.
    default void requireAlive(SandboxSpec spec, Identity identity) throws SandboxException {
        if (!isAlive(spec, identity)) {
            throw new SandboxException(
                    "the sandbox %s is not running. Start it with: sallyport start %s"
                            .formatted(spec.name(), spec.name()));
        }
    }

    /// Asks runtime and kernel who runs in a sandbox's place.
    ///
    /// @param known who it was when it was last verified
    Sighting look(SandboxSpec spec, Identity known);

    ExecPlan exec(SandboxSpec spec, Identity identity, ExecRequest request) throws SandboxException;

    /// Calls `listener` once when the sandbox's first process has ended, for whatever reason.
    default void onEnd(SandboxSpec spec, Identity identity, Consumer<SessionId> listener) {
        EndWatch.start(spec.id(), identity, listener);
    }

    /// From now on calls `listener` when something may have happened to the sandbox that its first
    /// process does not tell of, such as a restart. It may be called for nothing, and more than
    /// once.
    void onChange(SandboxSpec spec, Consumer<SessionId> listener);

    /// Removes sandboxes of this installation that are not in `known`; returns how many.
    int sweep(Set<SessionId> known) throws SandboxException;

    /// Tells when the first processes of sandboxes have ended. One thread waits for all of them, on
    /// descriptors that pin them, because that works for processes that this one did not start,
    /// which is the case after a restart, and costs nothing while nothing happens.
    final class EndWatch {
        /// How soon one that is added is waited for. What ends earlier is not missed.
        private static final int JOIN_MILLIS_MAX = 1_000;

        private static final EndWatch ALL = new EndWatch();

        private record Key(SessionId id, Identity identity) {}

        private record Watched(Key key, int descriptor, Consumer<SessionId> listener) {
            void tell() {
                PidDescriptor.close(descriptor);
                Thread.ofVirtual()
                        .name("end-of-" + key.id())
                        .start(() -> listener.accept(key.id()));
            }
        }

        private final Map<Key, Watched> watched = new HashMap<>();
        private boolean waiting;

        private EndWatch() {}

        /// Watching the same process again changes nothing.
        static void start(SessionId id, Identity identity, Consumer<SessionId> listener) {
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
}
