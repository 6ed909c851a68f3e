package dev.sallyport.mirror;

import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.internal.storage.file.Pack;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.pack.PackConfig;
import org.eclipse.jgit.transport.TransferConfig;
import org.eclipse.jgit.transport.UploadPack;

/// One answer to a fetch, made of a copy. JGit's server sees the refs that upstream showed to this
/// session just now and no others, whatever else the copy holds: the copy stores none.
///
/// Everything that JGit would believe of a client is checked here first: what is wanted is reached
/// by these refs, and so is what the client says it has, since from that follow what a server
/// acknowledges, what it leaves out, and against what it sends deltas.
public final class Upload implements AutoCloseable {
    private static final int CHECK_SECONDS_MAX = 30;

    /// What is not stored as a delta is sent whole: reading is cheaper than comparing.
    private static final int DELTA_CACHE_BYTES = 1;

    private final Repository repository;
    private final Map<RefName, ObjectName> shown;
    private final HeapBudget.Share heap;
    private final Set<ObjectName> wants;
    private final Set<ObjectName> seen;

    private Upload(
            Repository repository,
            Map<RefName, ObjectName> shown,
            HeapBudget.Share heap,
            Set<ObjectName> wants,
            Set<ObjectName> seen) {
        this.repository = repository;
        this.shown = shown;
        this.heap = heap;
        this.wants = wants;
        this.seen = seen;
    }

    static Upload prepare(
            FileRepository repository,
            Map<RefName, ObjectName> shown,
            PackWeights weights,
            HeapBudget.Share heap,
            Set<ObjectName> wants,
            Set<ObjectName> claims)
            throws IOException {
        boolean ready = false;
        try {
            Deadline deadline = Deadline.in(CHECK_SECONDS_MAX);
            takeMemory(repository, weights, heap, deadline);
            History history = new History(repository, Set.of());
            Set<ObjectName> reached = history.reachedExactly(shown.values(), wants, deadline);
            if (!reached.containsAll(wants)) {
                throw new PackProtocolException("something that is wanted is not in the copy");
            }
            Upload upload =
                    new Upload(
                            repository,
                            shown,
                            heap,
                            Set.copyOf(wants),
                            history.commitsReached(shown.values(), claims, deadline));
            ready = true;
            return upload;
        } finally {
            if (!ready) {
                heap.giveBack();
            }
        }
    }

    /// For all objects that are walked over and for the heaviest that is read: whichever is asked
    /// for, and however slowly it is taken, it may be held until the end.
    static void takeMemory(
            FileRepository repository,
            PackWeights weights,
            HeapBudget.Share heap,
            Deadline deadline)
            throws IOException {
        long objects = 0;
        long heaviest = 0;
        for (Pack pack : repository.getObjectDatabase().getPacks()) {
            objects += pack.getIndex().getObjectCount();
            heaviest = Math.max(heaviest, weights.of(pack, deadline));
        }
        heap.take(objects, heaviest);
    }

    /// Those of the claims that the session can see. The request must name no others.
    public Set<ObjectName> seen() {
        return seen;
    }

    /// Writes the answer, blocking as the stream does.
    ///
    /// @param request a body of a fetch, made of the same wants and of claims that are [#seen]
    /// @param version of the protocol: 0 or 2
    public void answer(byte[] request, int version, OutputStream out) throws IOException {
        UploadPack server = new UploadPack(repository);
        server.setBiDirectionalPipe(false);
        server.setExtraParameters(version == 2 ? Set.of("version=2") : Set.of());
        server.setTransferConfig(transfer());
        server.setPackConfig(packing());
        server.setAdvertisedRefs(refs());
        server.setRequestValidator((_, asked) -> requireWanted(asked));
        try (server) {
            server.uploadWithExceptionPropagation(new ByteArrayInputStream(request), out, null);
        }
    }

    /// Again, where JGit is about to look the objects up.
    private void requireWanted(Iterable<ObjectId> asked) throws PackProtocolException {
        for (ObjectId id : asked) {
            if (!wants.contains(new ObjectName(id.name()))) {
                throw new PackProtocolException("something else is wanted than was checked");
            }
        }
    }

    private Map<String, Ref> refs() {
        Map<String, Ref> refs = new HashMap<>();
        shown.forEach(
                (name, id) ->
                        refs.put(
                                name.value(),
                                new ObjectIdRef.Unpeeled(
                                        Ref.Storage.PACKED,
                                        name.value(),
                                        ObjectId.fromString(id.hex()))));
        return refs;
    }

    private static TransferConfig transfer() {
        Config config = new Config();
        config.setBoolean("uploadpack", null, "allowfilter", true);
        return new TransferConfig(config);
    }

    static PackConfig packing() {
        PackConfig config = new PackConfig();
        config.setThreads(1);
        config.setReuseObjects(true);
        config.setReuseDeltas(true);
        config.setDeltaCompress(false);
        config.setDeltaCacheSize(DELTA_CACHE_BYTES);
        config.setBuildBitmaps(false);
        return config;
    }

    @Override
    public void close() {
        heap.giveBack();
    }
}
