package dev.sallyport.mirror;

import dev.sallyport.policy.ObjectName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.RepositoryCache;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.util.FS;
import org.jspecify.annotations.Nullable;

/// One copy on the disk: a bare repository that has packs and nothing else. Which refs upstream has
/// is not kept in it but asked every time.
///
/// It only grows while it is lent. Methods that change it are called by whoever has its turn.
final class Copy {
    private final Path directory;
    private @Nullable Manifest manifest;
    private @Nullable FileRepository repository;
    private volatile boolean distrusted;

    Copy(Path directory) {
        this.directory = directory;
    }

    /// A copy of nothing, in a directory that is there and empty.
    static Copy create(Path directory, String repo) throws IOException {
        CopyLayout.make(directory);
        new Manifest(repo, Map.of(), List.of()).write(directory);
        Copy copy = new Copy(directory);
        copy.open();
        return copy;
    }

    Path directory() {
        return directory;
    }

    Path objects() {
        return directory.resolve(CopyLayout.OBJECTS);
    }

    private Path packs() {
        return objects().resolve(CopyLayout.PACK);
    }

    void distrust() {
        distrusted = true;
    }

    /// Makes sure that everything is as it was left.
    ///
    /// @throws CorruptCopyException when it is not, for whatever reason
    void open() throws CorruptCopyException {
        if (distrusted) {
            throw new CorruptCopyException("a judge found the copy wanting");
        }
        try {
            if (repository == null) {
                manifest = Manifest.read(directory);
                CopyLayout.tidy(directory, manifest.packs().keySet());
            }
            checkSeals(known());
            if (repository == null) {
                repository = openRepository();
                requireTips(known());
            }
        } catch (CorruptCopyException e) {
            shut();
            throw e;
        } catch (IOException | RuntimeException e) {
            shut();
            throw new CorruptCopyException("the copy cannot be read", e);
        }
    }

    private Manifest known() {
        if (manifest == null) {
            throw new IllegalStateException("the copy is not open");
        }
        return manifest;
    }

    FileRepository repository() {
        if (repository == null) {
            throw new IllegalStateException("the copy is not open");
        }
        return repository;
    }

    private void checkSeals(Manifest before) throws IOException {
        Map<String, Manifest.Pack> now = new HashMap<>();
        for (Map.Entry<String, Manifest.Pack> entry : before.packs().entrySet()) {
            Manifest.Pack pack = entry.getValue();
            now.put(
                    entry.getKey(),
                    new Manifest.Pack(
                            pack.pack().check(file(entry.getKey(), ".pack")),
                            pack.index().check(file(entry.getKey(), ".idx"))));
        }
        if (!now.equals(before.packs())) {
            record(before.with(now));
        }
    }

    private Path file(String name, String ending) {
        return packs().resolve(name + ending);
    }

    private void record(Manifest next) throws IOException {
        next.write(directory);
        manifest = next;
    }

    /// In JGit's cache, so that a repository which has this one as its alternate shares its open
    /// indexes.
    private FileRepository openRepository() throws IOException {
        FileRepository opened =
                (FileRepository)
                        new FileRepositoryBuilder()
                                .setFS(FS.DETECTED)
                                .setGitDir(directory.toFile())
                                .setBare()
                                .setMustExist(true)
                                .build();
        RepositoryCache.register(opened);
        return opened;
    }

    private void requireTips(Manifest recorded) throws IOException {
        if (!missing(recorded.tips()).isEmpty()) {
            throw new CorruptCopyException("a recorded tip is missing");
        }
    }

    boolean isOpen() {
        return repository != null;
    }

    /// Gives back memory and descriptors; the copy can be opened again.
    void shut() {
        if (repository != null) {
            RepositoryCache.unregister(repository);
            repository.close();
            repository = null;
        }
    }

    long bytes() {
        return known().bytes();
    }

    int packCount() {
        return manifest == null ? 0 : manifest.packs().size();
    }

    Set<ObjectName> missing(Collection<ObjectName> ids) throws IOException {
        Set<ObjectName> missing = new LinkedHashSet<>();
        try (ObjectReader reader = repository().newObjectReader()) {
            for (ObjectName id : ids) {
                if (!reader.has(ObjectId.fromString(id.hex()))) {
                    missing.add(id);
                }
            }
        }
        return missing;
    }

    /// What upstream is told that we have.
    ///
    /// @param present of upstream's tips those that are here; others are from the last fetch
    List<ObjectName> haves(Collection<ObjectName> present) throws IOException {
        Set<ObjectName> candidates = new LinkedHashSet<>(present);
        candidates.addAll(known().tips());
        return new History(repository(), List.of()).newest(List.copyOf(candidates));
    }

    /// Adds a pack that brings what upstream's refs reach.
    void takeIn(InputStream in, Advertised now, IntakeWatch watch, HeapBudget.Share heap)
            throws IOException {
        Set<ObjectName> tips = new LinkedHashSet<>(now.refs().values());
        Path pack = CopyLayout.incoming(packs(), ".pack");
        Path index = CopyLayout.incoming(packs(), ".idx");
        new PackIntake(repository().getObjectDatabase(), watch.over(in), pack, index, heap)
                .store(watch);
        List<ObjectName> old = known().tips();
        Manifest next = new Manifest(known().repo(), known().packs(), List.copyOf(tips));
        join(pack, index, next, () -> requireComplete(tips, old, now.shallow()));
    }

    private void requireComplete(
            Collection<ObjectName> tips, List<ObjectName> old, Set<ObjectName> shallow)
            throws IOException {
        if (!missing(tips).isEmpty()) {
            throw new WireException("upstream did not send what it was asked for");
        }
        new History(repository(), shallow).requireConnected(tips, old);
    }

    /// The pack of a push that upstream took.
    void adopt(Path foreignPack, Path foreignIndex) throws IOException {
        Path pack = CopyLayout.incoming(packs(), ".pack");
        Path index = CopyLayout.incoming(packs(), ".idx");
        try {
            Files.copy(foreignPack, pack);
            Files.copy(foreignIndex, index);
            CopyLayout.requirePair(pack, index);
            join(pack, index, known(), () -> {});
        } finally {
            Files.deleteIfExists(pack);
            Files.deleteIfExists(index);
        }
    }

    /// Says, by an exception, whether a pack that readers can see already may stay.
    private interface Condition {
        void check() throws IOException;
    }

    /// Moves a finished pack to its place, where readers find it, and records it; or undoes that.
    private void join(Path pack, Path index, Manifest before, Condition condition)
            throws IOException {
        PackSeal packSeal = PackSeal.of(pack);
        PackSeal indexSeal = PackSeal.of(index);
        String name = "pack-" + packSeal.trailer();
        if (before.packs().containsKey(name)) {
            Files.delete(pack);
            Files.delete(index);
            condition.check();
            record(before);
            return;
        }
        Path placed = Files.move(pack, file(name, ".pack"), StandardCopyOption.ATOMIC_MOVE);
        Path placedIndex = Files.move(index, file(name, ".idx"), StandardCopyOption.ATOMIC_MOVE);
        boolean recorded = false;
        try {
            repository().openPack(placed.toFile());
            condition.check();
            Map<String, Manifest.Pack> packs = new HashMap<>(before.packs());
            packs.put(
                    name,
                    new Manifest.Pack(packSeal.movedTo(placed), indexSeal.movedTo(placedIndex)));
            record(before.with(packs));
            recorded = true;
        } finally {
            if (!recorded) {
                shut();
                Files.deleteIfExists(placed);
                Files.deleteIfExists(placedIndex);
            }
        }
    }

    /// Joins the small packs to one. Nobody else may use the copy meanwhile; afterwards it is shut.
    void compact(IntakeWatch watch, HeapBudget.Share heap) throws IOException {
        Map<String, Manifest.Pack> old = PackJoin.worthJoining(known().packs());
        Path pack = CopyLayout.incoming(packs(), ".pack");
        Path index = CopyLayout.incoming(packs(), ".idx");
        try (InputStream joined = PackJoin.open(packs(), old.keySet())) {
            new PackIntake(repository().getObjectDatabase(), joined, pack, index, heap)
                    .trusted()
                    .store(watch);
        }
        join(pack, index, known(), () -> {});
        Map<String, Manifest.Pack> left = new HashMap<>(known().packs());
        left.keySet().removeAll(old.keySet());
        record(known().with(left));
        shut();
        CopyLayout.tidy(directory, left.keySet());
    }

    /// The same repository for somebody who closes it.
    FileRepository lend() {
        repository().incrementOpen();
        return repository();
    }
}
