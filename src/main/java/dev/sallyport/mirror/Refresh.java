package dev.sallyport.mirror;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.ObjectName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.MissingObjectException;

/// Brings one copy up to what upstream has now. Run by whoever has the copy's turn.
final class Refresh {
    private static final System.Logger LOG = System.getLogger(Refresh.class.getName());

    private final Shelf shelf;
    private final Rebuilds rebuilds;
    private final HeapBudget heap;
    private final Limits.Mirror limits;
    private final Fetch fetch;
    private final Progress progress;
    private final String key;

    /// @param key names the copy
    Refresh(
            Shelf shelf,
            Rebuilds rebuilds,
            HeapBudget heap,
            Limits.Mirror limits,
            Fetch fetch,
            Progress progress,
            String key) {
        this.shelf = shelf;
        this.rebuilds = rebuilds;
        this.heap = heap;
        this.limits = limits;
        this.fetch = fetch;
        this.progress = progress;
        this.key = key;
    }

    /// The copy, used by the caller from now on.
    Shelf.Place run(Advertised now) throws IOException {
        Optional<Shelf.Place> found = shelf.use(key);
        Shelf.Place place = found.isPresent() ? renewed(found.get(), now) : built(now);
        boolean done = false;
        try {
            shelf.refreshed(place);
            done = true;
            return place;
        } finally {
            if (!done) {
                shelf.giveBack(place);
            }
        }
    }

    /// The copy with what it lacked; or, when it is spoilt or has grown too large, another one.
    private Shelf.Place renewed(Shelf.Place place, Advertised now) throws IOException {
        boolean good = false;
        try {
            place.copy().open();
            complete(place.copy(), now);
            good = true;
            return place;
        } catch (CorruptCopyException
                | CorruptObjectException
                | MissingObjectException
                | OvergrownException e) {
            LOG.log(System.Logger.Level.INFO, "a copy is built anew: {0}", e.getMessage());
            rebuilds.require(key);
            shelf.discard(place);
        } finally {
            if (!good) {
                shelf.giveBack(place);
            }
        }
        return built(now);
    }

    private Shelf.Place built(Advertised now) throws IOException {
        rebuilds.requireNotTooLarge(key);
        Path directory = shelf.newDirectory();
        boolean added = false;
        try {
            Copy copy = Copy.create(directory, fetch.permit().repo().key());
            try {
                complete(copy, now);
            } finally {
                copy.shut();
            }
            Shelf.Place place = shelf.add(key, directory);
            added = true;
            return opened(place);
        } catch (OvergrownException e) {
            rebuilds.tooLarge(key);
            throw e;
        } finally {
            if (!added) {
                Shelf.removeQuietly(directory);
            }
        }
    }

    private Shelf.Place opened(Shelf.Place place) throws IOException {
        boolean open = false;
        try {
            place.copy().open();
            open = true;
            return place;
        } finally {
            if (!open) {
                shelf.discard(place);
                shelf.giveBack(place);
            }
        }
    }

    private void complete(Copy copy, Advertised now) throws IOException {
        Set<ObjectName> tips = new LinkedHashSet<>(now.refs().values());
        Collection<ObjectName> wants = copy.missing(tips);
        if (wants.isEmpty()) {
            return;
        }
        Set<ObjectName> present = new LinkedHashSet<>(tips);
        present.removeAll(wants);
        List<ObjectName> haves = copy.haves(present);
        IntakeWatch watch =
                new IntakeWatch(fetch.deadline(), progress, bytes -> reserve(copy, bytes));
        try (InputStream pack = fetch.pack(wants, haves)) {
            copy.takeIn(pack, now, watch, heap.share(fetch.deadline()));
        } finally {
            shelf.arrived(copy);
        }
    }

    private void reserve(Copy copy, long bytes) throws IOException {
        if (copy.bytes() + bytes > limits.repositoryBytesMax()) {
            throw new OvergrownException(
                    "the repository has more than " + limits.repositoryBytesMax() + " bytes");
        }
        shelf.reserve(copy, bytes);
    }
}
