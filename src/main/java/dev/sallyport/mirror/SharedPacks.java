package dev.sallyport.mirror;

import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jspecify.annotations.Nullable;

/// Packs for sandboxes to read, which hold what the refs that a session is shown reach, and nothing
/// else that the copy has.
///
/// They are written from the copy once and linked into the directory of each clone. So sandboxes
/// share their files with each other, read-only, and none with the copy that judges pushes.
///
/// The packs of a copy lie in layers: each has what its tips reach and those below do not. When a
/// tip of a layer is not reached any more, this layer and those above are written anew. The lowest
/// has the trunk alone, because other branches come and go.
final class SharedPacks {
    private static final long TURN_NANOS_MAX = TimeUnit.MINUTES.toNanos(10);
    private static final int CHECK_SECONDS_MAX = 30;
    private static final int LAYERS_MAX = 32;

    private static final String NO_HEAD = "none";

    /// Where the packs are, beside the directories of clones, whose names begin otherwise.
    private static final String POOL = ".pool";

    private static final Set<PosixFilePermission> FOR_ALL =
            PosixFilePermissions.fromString("r--r--r--");
    private static final Set<PosixFilePermission> OPEN =
            PosixFilePermissions.fromString("rwxr-xr-x");

    private record Layer(Set<ObjectName> tips, Optional<Path> pack, long bytes) {}

    /// The layers for one copy.
    private static final class Stack {
        private List<Layer> layers = List.of();
        private int users;

        long bytes() {
            return layers.stream().mapToLong(Layer::bytes).sum();
        }
    }

    private final long bytesMax;
    private final Turns turns = new Turns();
    private final Map<String, Stack> stacks = new LinkedHashMap<>(16, 0.75f, true);
    private @Nullable Path pool;

    SharedPacks(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /// What a session is shown.
    ///
    /// @param head the one that is checked out by a clone, if upstream says which
    record Refs(Map<RefName, ObjectName> tips, Optional<RefName> head) {
        /// The branch that lasts.
        Set<ObjectName> trunk() {
            return head.or(() -> tips.keySet().stream().filter(RefName::isBranch).findFirst())
                    .map(tips::get)
                    .map(Set::of)
                    .orElse(Set.of());
        }
    }

    /// What is to be shared.
    ///
    /// @param key of the copy
    /// @param copyBytes what its packs take on the disk
    /// @param heap for reading it; given back here
    record Source(
            String key,
            FileRepository repository,
            Refs refs,
            long copyBytes,
            PackWeights weights,
            HeapBudget.Share heap) {}

    /// Makes an empty directory a bare repository with all that these refs reach.
    void share(Source source, Path directory, Mirror.Before before)
            throws IOException, InterruptedException {
        begin(directory.resolveSibling(POOL));
        Stack stack = use(source.key());
        try (Turns.Turn _ =
                turns.take(source.key(), TURN_NANOS_MAX)
                        .orElseThrow(() -> new LimitException("another takes too long"))) {
            update(stack, source);
            before.run();
            fill(directory, stack.layers, source.refs());
        } finally {
            leave(stack);
        }
    }

    /// What an earlier process left is not believed.
    private synchronized void begin(Path chosen) throws IOException {
        if (pool == null) {
            try (DirectoryStream<Path> left = Files.newDirectoryStream(chosen)) {
                for (Path directory : left) {
                    CopyLayout.remove(directory);
                }
            }
            pool = chosen;
        }
    }

    private synchronized Stack use(String key) {
        Stack stack = stacks.computeIfAbsent(key, _ -> new Stack());
        stack.users++;
        return stack;
    }

    private synchronized void leave(Stack stack) {
        stack.users--;
    }

    private void update(Stack stack, Source source) throws IOException {
        Set<ObjectName> now = Set.copyOf(source.refs().tips().values());
        List<Layer> layers = new ArrayList<>(standing(stack.layers, source, now));
        Set<ObjectName> covered = tips(layers);
        if (!covered.containsAll(now)) {
            makeRoom(source.copyBytes());
            try {
                Deadline deadline = Deadline.in(CHECK_SECONDS_MAX);
                Upload.takeMemory(source.repository(), source.weights(), source.heap(), deadline);
                for (Set<ObjectName> tips : List.of(source.refs().trunk(), now)) {
                    if (!tips(layers).containsAll(tips)) {
                        layers.add(write(source, tips, tips(layers)));
                    }
                }
            } finally {
                source.heap().giveBack();
            }
        }
        replace(stack, List.copyOf(layers));
    }

    /// The lowest layers of which these tips reach everything.
    private static List<Layer> standing(List<Layer> layers, Source source, Set<ObjectName> now)
            throws IOException {
        if (layers.size() > LAYERS_MAX) {
            return List.of();
        }
        Set<ObjectName> old = tips(layers);
        Set<ObjectName> reached =
                now.containsAll(old)
                        ? old
                        : new History(source.repository(), Set.of())
                                .reachedExactly(now, old, Deadline.in(CHECK_SECONDS_MAX));
        return layers.stream().takeWhile(layer -> reached.containsAll(layer.tips())).toList();
    }

    private static Set<ObjectName> tips(Collection<Layer> layers) {
        return layers.stream().flatMap(layer -> layer.tips().stream()).collect(Collectors.toSet());
    }

    private Layer write(Source source, Set<ObjectName> tips, Set<ObjectName> below)
            throws IOException {
        ProgressMonitor silent = NullProgressMonitor.INSTANCE;
        Path directory = Files.createDirectories(ready().resolve(source.key()));
        try (PackWriter writer =
                new PackWriter(Upload.packing(), source.repository().newObjectReader())) {
            writer.setDeltaBaseAsOffset(true);
            writer.setReuseDeltaCommits(true);
            writer.setUseBitmaps(false);
            writer.setUseCachedPacks(false);
            writer.setThin(false);
            writer.preparePack(silent, ids(tips), ids(below));
            if (writer.getObjectCount() == 0) {
                return new Layer(tips, Optional.empty(), 0);
            }
            Path pack = directory.resolve("pack-" + UUID.randomUUID() + ".pack");
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(pack))) {
                writer.writePack(silent, silent, out);
            }
            Path index = index(pack);
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(index))) {
                writer.writeIndex(out);
            }
            Files.setPosixFilePermissions(pack, FOR_ALL);
            Files.setPosixFilePermissions(index, FOR_ALL);
            return new Layer(tips, Optional.of(pack), Files.size(pack) + Files.size(index));
        }
    }

    private synchronized Path ready() {
        if (pool == null) {
            throw new IllegalStateException("nothing is shared yet");
        }
        return pool;
    }

    private static Path index(Path pack) {
        String name = String.valueOf(pack.getFileName());
        return pack.resolveSibling(name.substring(0, name.length() - ".pack".length()) + ".idx");
    }

    private static Set<ObjectId> ids(Set<ObjectName> names) {
        return names.stream()
                .map(name -> ObjectId.fromString(name.hex()))
                .collect(Collectors.toSet());
    }

    private synchronized void replace(Stack stack, List<Layer> layers) throws IOException {
        List<Layer> gone = new ArrayList<>(stack.layers);
        gone.removeAll(layers);
        stack.layers = layers;
        remove(gone);
    }

    /// Those who have them keep them; only our names go.
    private static void remove(List<Layer> layers) throws IOException {
        for (Layer layer : layers) {
            if (layer.pack().isPresent()) {
                Files.deleteIfExists(layer.pack().get());
                Files.deleteIfExists(index(layer.pack().get()));
            }
        }
    }

    /// The least recently used go first.
    private synchronized void makeRoom(long coming) throws IOException {
        for (Stack stack : List.copyOf(stacks.values())) {
            long total = stacks.values().stream().mapToLong(Stack::bytes).sum();
            if (total + coming > bytesMax && stack.users == 0) {
                List<Layer> gone = stack.layers;
                stack.layers = List.of();
                remove(gone);
            }
        }
        if (stacks.values().stream().mapToLong(Stack::bytes).sum() + coming > bytesMax) {
            throw new LimitException("the disk space for shared packs is used up");
        }
    }

    /// The refs come last: what they name is there.
    private static void fill(Path directory, List<Layer> layers, Refs refs) throws IOException {
        Path packs = open(open(directory.resolve("objects")).resolve("pack"));
        open(directory.resolve("refs"));
        for (Layer layer : layers) {
            if (layer.pack().isPresent()) {
                for (Path file : List.of(layer.pack().get(), index(layer.pack().get()))) {
                    Files.createLink(packs.resolve(file.getFileName()), file);
                }
            }
        }
        String lines =
                refs.tips().entrySet().stream()
                        .map(ref -> ref.getValue().hex() + " " + ref.getKey().value() + "\n")
                        .collect(Collectors.joining());
        write(directory.resolve("packed-refs"), lines);
        String head = refs.head().map(RefName::value).orElse("refs/heads/" + NO_HEAD);
        write(directory.resolve("HEAD"), "ref: " + head + "\n");
    }

    private static Path open(Path directory) throws IOException {
        Files.createDirectory(directory);
        return Files.setPosixFilePermissions(directory, OPEN);
    }

    private static void write(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, FOR_ALL);
    }
}
