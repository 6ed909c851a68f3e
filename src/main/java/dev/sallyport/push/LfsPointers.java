package dev.sallyport.push;

import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.lib.ObjectId;

/// The pointers to large files that the new commits of a push add, each object once. Upstream is
/// asked for all of them, so there are not many.
final class LfsPointers {
    private static final int COUNT_MAX = 10_000;

    private final ObjectSource objects;
    private final Map<String, LfsPointer> byOid = new LinkedHashMap<>();

    LfsPointers(ObjectSource objects) {
        this.objects = objects;
    }

    void add(ObjectId commit, TreeLine line, ObjectId blob) throws IOException {
        String place =
                "path "
                        + Printable.of(line.pathBytes())
                        + " in commit "
                        + commit.abbreviate(7).name();
        try (InputStream content = objects.blob(blob)) {
            LfsPointer.parse(content.readNBytes(LfsPointer.BYTES_MAX), place)
                    .ifPresent(pointer -> byOid.putIfAbsent(pointer.oid(), pointer));
        }
        if (byOid.size() > COUNT_MAX) {
            throw new PushRefusedException(
                    Refusal.LFS_OBJECT_MISSING,
                    "more than " + COUNT_MAX + " large files; push fewer commits at once");
        }
    }

    List<LfsPointer> all() {
        return List.copyOf(byOid.values());
    }
}
