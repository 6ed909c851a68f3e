package dev.sallyport.lfs;

import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.SessionId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// Where the objects of each session's latest batches are transferred. A session that asks for very
/// many loses its oldest; a client that finds none asks again. When all together have too many, the
/// session with the most loses its oldest, so that none can take another's share. From any thread.
final class ActionTable {
    /// Of one session; those of a batch of 1,000 uploads to a store with long addresses fit.
    private static final long SESSION_BYTES_MAX = 8L << 20;

    private static final long TOTAL_BYTES_MAX = 32L << 20;
    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// What an action is found by.
    record Key(String repo, Action.Verb verb, Oid oid) {
        static Key of(RepoName repo, Action.Verb verb, Oid oid) {
            return new Key(repo.key(), verb, oid);
        }
    }

    private record Entry(Action action, long endNanos) {}

    /// Those of one session, oldest first.
    private static final class Own {
        private final LinkedHashMap<Key, Entry> entries = new LinkedHashMap<>();
        private long bytes;
    }

    private final LongSupplier nanos;
    private final Map<SessionId, Own> bySession = new HashMap<>();
    private long bytes;
    private long sweptNanos;

    ActionTable(LongSupplier nanos) {
        this.nanos = nanos;
        this.sweptNanos = nanos.getAsLong();
    }

    /// Keeps it in place of what was known before.
    synchronized void put(GitPermit permit, Action.Verb verb, Action action) {
        sweep();
        Own own = bySession.computeIfAbsent(permit.session(), _ -> new Own());
        Key key = Key.of(permit.repo(), verb, action.object().oid());
        remove(own, key);
        long end = nanos.getAsLong() + TimeUnit.SECONDS.toNanos(action.seconds());
        own.entries.put(key, new Entry(action, end));
        count(own, action.bytes());
        while (own.bytes > SESSION_BYTES_MAX) {
            remove(own, own.entries.firstEntry().getKey());
        }
        while (bytes > TOTAL_BYTES_MAX) {
            Own most =
                    bySession.values().stream()
                            .max(Comparator.comparingLong(o -> o.bytes))
                            .orElse(own);
            remove(most, most.entries.firstEntry().getKey());
        }
    }

    /// The session has ended.
    synchronized void end(SessionId session) {
        Own own = bySession.remove(session);
        if (own != null) {
            bytes -= own.bytes;
        }
    }

    synchronized Optional<Action> find(GitPermit permit, Action.Verb verb, Oid oid) {
        long now = nanos.getAsLong();
        return Optional.ofNullable(bySession.get(permit.session()))
                .map(own -> own.entries.get(Key.of(permit.repo(), verb, oid)))
                .filter(entry -> now - entry.endNanos() < 0)
                .map(Entry::action);
    }

    /// The store does not take it any more.
    synchronized void forget(GitPermit permit, Action.Verb verb, Oid oid) {
        Own own = bySession.get(permit.session());
        if (own != null) {
            remove(own, Key.of(permit.repo(), verb, oid));
        }
    }

    private void remove(Own own, Key key) {
        Entry gone = own.entries.remove(key);
        if (gone != null) {
            count(own, -gone.action().bytes());
        }
    }

    private void count(Own own, long more) {
        own.bytes += more;
        bytes += more;
    }

    private void sweep() {
        long now = nanos.getAsLong();
        if (now - sweptNanos < SWEEP_NANOS) {
            return;
        }
        sweptNanos = now;
        for (Own own : bySession.values()) {
            own.entries
                    .values()
                    .removeIf(
                            entry -> {
                                boolean over = now - entry.endNanos() >= 0;
                                if (over) {
                                    count(own, -entry.action().bytes());
                                }
                                return over;
                            });
        }
        bySession.values().removeIf(own -> own.entries.isEmpty());
    }

    synchronized long bytes() {
        return bytes;
    }
}
