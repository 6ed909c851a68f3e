package dev.sallyport.push;

import dev.sallyport.policy.Refusal;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.errors.TooLargeObjectInPackException;
import org.eclipse.jgit.internal.storage.file.ObjectDirectory;
import org.eclipse.jgit.internal.storage.file.PackIndex;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.transport.PackParser;

/// Where the objects of a push are until it is judged: they see upstream's objects, and nobody sees
/// them.
final class Quarantine {
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

    /// Checks and indexes every object of a pack.
    ///
    /// @throws PushRefusedException when the pack is at fault
    PackContents take(Path pack, PackScan.Summary summary, Deadline deadline) throws IOException {
        Files.createDirectories(objects.resolve("pack"));
        if (summary.objects() == 0) {
            return PackContents.none();
        }
        try (ObjectDirectory directory = ObjectSource.open(objects, mirrorObjects);
                ObjectInserter inserter = directory.newInserter();
                InputStream in = new FileInputStream(pack.toFile())) {
            PackParser parser = inserter.newPackParser(in);
            parser.setAllowThin(false);
            parser.setObjectChecker(new StrictChecker());
            parser.setMaxObjectSizeLimit(summary.largestBytes());
            parser.setCheckEofAfterPackFooter(true);
            parser.parse(deadline.monitor(), deadline.monitor());
            if (parser.getObjectCount() != summary.objects()) {
                throw PushRefusedException.malformed("the pack does not count its objects");
            }
            return PackContents.of(openIndex(), parser.getSortedObjectList(null));
        } catch (TooLargeObjectInPackException e) {
            throw new PushRefusedException(Refusal.FILE_TOO_LARGE, "an object is too large");
        }
    }

    private PackIndex openIndex() throws IOException {
        try (DirectoryStream<Path> found =
                Files.newDirectoryStream(objects.resolve("pack"), "pack-*.idx")) {
            for (Path index : found) {
                return PackIndex.open(index.toFile());
            }
        }
        throw new IOException("no index was written");
    }
}
