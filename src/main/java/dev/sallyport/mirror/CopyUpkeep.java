package dev.sallyport.mirror;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/// Joins the many small packs that refreshes and pushes leave, when nobody waits for the copy.
final class CopyUpkeep implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(CopyUpkeep.class.getName());
    private static final int PACKS_MAX = 50;
    private static final int SECONDS_MAX = 600;

    private final Shelf shelf;
    private final Turns turns;
    private final HeapBudget heap;
    private final Set<String> planned = ConcurrentHashMap.newKeySet();
    private final ExecutorService worker =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("mirror-upkeep").factory());

    CopyUpkeep(Shelf shelf, Turns turns, HeapBudget heap) {
        this.shelf = shelf;
        this.turns = turns;
        this.heap = heap;
    }

    void consider(Shelf.Place place) {
        if (place.copy().packCount() > PACKS_MAX && planned.add(place.key())) {
            try {
                worker.execute(() -> run(place.key()));
            } catch (RejectedExecutionException _) {
                planned.remove(place.key());
            }
        }
    }

    private void run(String key) {
        planned.remove(key);
        try {
            Optional<Turns.Turn> turn = turns.take(key, 0);
            if (turn.isPresent()) {
                try (Turns.Turn _ = turn.get()) {
                    shelf.use(key).ifPresent(this::compact);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// With the turn nobody can borrow the copy; it only has to be free already.
    private void compact(Shelf.Place place) {
        try {
            if (shelf.isAlone(place)) {
                Deadline deadline = Deadline.in(SECONDS_MAX);
                IntakeWatch watch = new IntakeWatch(deadline, Progress.NONE, _ -> {});
                place.copy().open();
                place.copy().compact(watch, heap.share(deadline));
                place.copy().open();
                shelf.refreshed(place);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "packs were not joined", e);
        } finally {
            shelf.giveBack(place);
        }
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }
}
