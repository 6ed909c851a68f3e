package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.LongWork;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/// The sessions that wait until the gateway has shared a repository's objects with them.
final class Borrowing {
    private static final int MIB = 1 << 20;
    private static final int PERCENT_MAX = 100;

    private final LongWork work;
    private final Map<SessionId, Borrower> waiting = new ConcurrentHashMap<>();

    private record Borrower(String repo, CompletableFuture<Boolean> lent) {}

    /// @param work where it is told how far the gateway is, in our words and with its numbers
    Borrowing(LongWork work) {
        this.work = work;
    }

    /// The future says what came of it; empty when the session waits already.
    Optional<CompletableFuture<Boolean>> begin(SessionId id, String repo) {
        Borrower borrower = new Borrower(repo, new CompletableFuture<>());
        if (waiting.putIfAbsent(id, borrower) != null) {
            return Optional.empty();
        }
        work.at(repo, "asking the git host");
        return Optional.of(borrower.lent());
    }

    /// The gateway says how far it is, whether that can be or not.
    void reached(SessionId id, long receivedBytes, int indexedPercent) {
        Borrower borrower = waiting.get(id);
        if (borrower != null && receivedBytes >= 0) {
            String received = receivedBytes / MIB + " MiB copied";
            boolean indexing = indexedPercent > 0 && indexedPercent <= PERCENT_MAX;
            work.at(
                    borrower.repo(),
                    indexing ? received + ", " + indexedPercent + "% indexed" : received);
        }
    }

    void over(SessionId id, boolean shared) {
        Borrower borrower = waiting.remove(id);
        if (borrower != null) {
            work.over(borrower.repo());
            borrower.lent().complete(shared);
        }
    }

    /// The gateway has died.
    void disappoint() {
        List.copyOf(waiting.keySet()).forEach(id -> over(id, false));
    }
}
