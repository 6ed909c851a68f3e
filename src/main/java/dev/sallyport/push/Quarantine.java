package dev.sallyport.push;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.eclipse.jgit.internal.storage.file.BasePackIndexWriter;
import org.eclipse.jgit.internal.storage.file.PackIndex;

/// Where the objects of a push are until it is judged: they see upstream's objects, and nobody sees
/// them.
final class Quarantine {
    private static final int INDEX_VERSION = 2;

    private final Path objects;
    private final Path mirrorObjects;

    Quarantine(PushCase push) {
        this.objects = push.quarantine().resolve("objects");
        this.mirrorObjects = push.mirrorObjects();
    }

    Path objects() {
        return objects;
    }

    Path mirrorObjects() {
        return mirrorObjects;
    }

    /// Reads the rest of a pack and puts it here with its index.
    ///
    /// @throws PushRefusedException when the pack is at fault
    PackContents take(Path pack, PackReading reading, Deadline deadline) throws IOException {
        PackEntries entries = reading.readAll(Files.size(pack), deadline);
        Path directory = Files.createDirectories(objects.resolve("pack"));
        if (entries.count() == 0) {
            return PackContents.none();
        }
        List<PackEntries.Known> sorted = entries.sorted();
        String name = "pack-" + HexFormat.of().formatHex(reading.trailer());
        Path index = directory.resolve(name + ".idx");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(index))) {
            BasePackIndexWriter.createVersion(out, INDEX_VERSION).write(sorted, reading.trailer());
        }
        PackContents contents = PackContents.of(PackIndex.open(index.toFile()), sorted);
        place(pack, directory.resolve(name + ".pack"));
        return contents;
    }

    /// It is the same file, where the file system can do that: nobody writes to it any more.
    private static void place(Path pack, Path here) throws IOException {
        try {
            Files.createLink(here, pack);
        } catch (UnsupportedOperationException | FileSystemException _) {
            Files.copy(pack, here);
        }
    }
}
