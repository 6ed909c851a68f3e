package dev.sallyport.mirror;

import dev.sallyport.config.DiskFullException;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.Hashes;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.UpstreamException;
import io.netty.channel.EventLoopGroup;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.storage.file.FileRepository;

/// Local copies of upstream repositories, against which pushes are judged. There is one for every
/// repository and visibility, complete as far as the visible refs reach.
///
/// Upstream is asked for its refs every time, with the rights of the session that wants to know;
/// that a copy exists gives nobody anything.
public final class Mirrors implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Mirrors.class.getName());
    private static final int ATTEMPTS_MAX = 2;
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long ADOPT_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /// Short, because upstream can answer instead: slow readers of one sandbox may have it all.
    private static final int UPLOAD_WAIT_SECONDS_MAX = 2;

    private static final int SHARE_WAIT_SECONDS_MAX = 60;

    private final Limits.Mirror limits;
    private final Client upstream;
    private final EventLoopGroup loops;
    private final Path directory;
    private final Shelf shelf;
    private final Turns turns = new Turns();
    private final Rebuilds rebuilds = new Rebuilds();
    private final HeapBudget heap = new HeapBudget(Runtime.getRuntime().maxMemory());
    private final HeapBudget uploads = new HeapBudget(Runtime.getRuntime().maxMemory() / 2);
    private final PackWeights weights = new PackWeights(Runtime.getRuntime().maxMemory());
    private final SharedPacks shared;
    private final CopyUpkeep upkeep;

    /// Touches nothing yet: a spare gateway must not disturb the one at work.
    ///
    /// @param directory ours alone, mode 0700; outlives this process
    public Mirrors(Path directory, Limits.Mirror limits, Client upstream, EventLoopGroup loops) {
        IsolatedGit.install();
        this.limits = limits;
        this.upstream = upstream;
        this.loops = loops;
        this.directory = directory;
        this.shelf = new Shelf(directory, limits.diskBytesTotalMax());
        this.shared = new SharedPacks(limits.diskBytesTotalMax());
        this.upkeep = new CopyUpkeep(shelf, turns, heap);
    }

    /// How many copies there are.
    public int copies() {
        return shelf.size();
    }

    public long bytes() {
        return shelf.bytes();
    }

    /// Asks upstream for its refs, fetches what the copy lacks, and lends it out. Blocks, so it is
    /// called on a worker's thread.
    ///
    /// @param permit for `git-upload-pack`; what it makes visible is copied, and nothing else
    public Mirror refresh(GitPermit permit, CredentialBook credentials, Progress progress)
            throws MirrorException, InterruptedException {
        if (permit.service() != GitService.UPLOAD_PACK) {
            throw new IllegalArgumentException("a copy is made with the right to read");
        }
        Deadline deadline = Deadline.in(limits.fetchSecondsMax());
        Fetch fetch =
                new Fetch(upstream, loops.next(), permit, credentials, limits.refsMax(), deadline);
        try {
            shelf.begin();
            return attempt(fetch, progress);
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException("the refresh was interrupted");
            }
            throw failure(e, deadline);
        }
    }

    private Mirror attempt(Fetch fetch, Progress progress)
            throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return once(fetch, progress);
            } catch (MovedException e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
            }
        }
    }

    private Mirror once(Fetch fetch, Progress progress) throws IOException, InterruptedException {
        Advertised now = ask(fetch, progress);
        long asked = System.nanoTime();
        String key = key(fetch.permit(), now);
        try (Turns.Turn _ =
                turns.take(key, fetch.deadline().remainingNanos())
                        .orElseThrow(() -> new LimitException("another refresh takes too long"))) {
            if (System.nanoTime() - asked > STALE_NANOS) {
                now = ask(fetch, progress);
                if (!key(fetch.permit(), now).equals(key)) {
                    throw new MovedException();
                }
            }
            Shelf.Place place =
                    new Refresh(shelf, rebuilds, heap, limits, fetch, progress, key).run(now);
            return new Mirror(this, place, place.copy().lend(), now);
        }
    }

    private static Advertised ask(Fetch fetch, Progress progress) throws IOException {
        Advertised now = fetch.ask();
        progress.shown(now.shallow().isEmpty());
        return now;
    }

    /// Where upstream's own history ends belongs to the name: a copy that was complete down to one
    /// end is not down to another.
    private static String key(GitPermit permit, Advertised now) {
        StringBuilder name = new StringBuilder(permit.repo().key() + "\n" + permit.visible());
        now.shallow().stream()
                .map(ObjectName::hex)
                .sorted()
                .forEach(id -> name.append("\nshallow ").append(id));
        return Hashes.sha256(name.toString());
    }

    private MirrorException failure(IOException problem, Deadline deadline) {
        String message = String.valueOf(problem.getMessage());
        Failure failure =
                switch (problem) {
                    case UpstreamException e -> e.failure();
                    case WireException _,
                            MovedException _,
                            CorruptObjectException _,
                            MissingObjectException _,
                            EOFException _ ->
                            Failure.of(Refusal.UPSTREAM_MISBEHAVED);
                    case IOException e when DiskFullException.isCause(e, directory) ->
                            Failure.of(Refusal.DISK_FULL);
                    default ->
                            Failure.of(
                                    deadline.hasPassed()
                                            ? Refusal.UPSTREAM_TIMEOUT
                                            : Refusal.MIRROR_UNAVAILABLE);
                };
        return new MirrorException(failure, message, problem);
    }

    /// Room in memory for a walk over all objects of a copy. It is not that of refreshes: a slow
    /// reader must not hold up a push.
    HeapBudget.Share uploadShare() {
        return uploads.share(Deadline.in(UPLOAD_WAIT_SECONDS_MAX));
    }

    void share(
            Shelf.Place place,
            FileRepository repository,
            SharedPacks.Refs refs,
            Path directory,
            Mirror.Before before)
            throws IOException, InterruptedException {
        shared.share(
                new SharedPacks.Source(
                        place.key(),
                        repository,
                        refs,
                        place.copy().bytes(),
                        weights,
                        uploads.share(Deadline.in(SHARE_WAIT_SECONDS_MAX))),
                directory,
                before);
    }

    PackWeights weights() {
        return weights;
    }

    void giveBack(Shelf.Place place) {
        shelf.giveBack(place);
        upkeep.consider(place);
    }

    void distrust(Shelf.Place place) {
        place.copy().distrust();
        shelf.forget(place);
    }

    /// The caller uses the copy, so it does not go away meanwhile.
    void adopt(Shelf.Place place, Path pack, Path index) {
        try {
            var turn = turns.take(place.key(), ADOPT_WAIT_NANOS);
            if (turn.isEmpty()) {
                return;
            }
            try (Turns.Turn _ = turn.get()) {
                place.copy().open();
                place.copy().adopt(pack, index);
                shelf.refreshed(place);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a pushed pack was not adopted", e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Ends upkeep and gives the directory free for another process. Whatever is still lent can be
    /// used to its end.
    @Override
    public void close() {
        upkeep.close();
        shelf.close();
    }
}
