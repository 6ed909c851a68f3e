package dev.sallyport.push;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.eclipse.jgit.internal.storage.pack.BinaryDelta;
import org.eclipse.jgit.lib.ObjectId;
import org.jspecify.annotations.Nullable;

/// Resolves the deltas of a pack, each once: from every whole object up, so that memory holds one
/// chain at a time. [PackEntries#checkChains] has said that it may.
final class DeltaResolution {
    private final PackEntries entries;
    private final PackEntries.Children children;
    private final PackFile file;
    private final ObjectIntake intake;
    private final Deadline deadline;

    DeltaResolution(PackEntries entries, PackFile file, ObjectIntake intake, Deadline deadline) {
        this.entries = entries;
        this.children = entries.new Children();
        this.file = file;
        this.intake = intake;
        this.deadline = deadline;
    }

    /// @param id only needed where deltas name their bases
    @SuppressWarnings("ArrayRecordComponent")
    private record Resolved(int entry, byte[] content, @Nullable ObjectId id) {}

    /// @throws PushRefusedException when a base is not in the pack
    void run() throws IOException {
        int count = entries.count();
        for (int i = 0; i < count; i++) {
            deadline.step();
            if (entries.isWhole(i) && children.has(i, id(i))) {
                resolveUpon(i);
            }
        }
        intake.settle();
        intake.requireSound();
        if (!entries.areAllKnown()) {
            throw PushRefusedException.malformed("a delta without its base");
        }
    }

    private @Nullable ObjectId id(int entry) {
        return entries.hasReferences() ? entries.get(entry) : null;
    }

    private void resolveUpon(int whole) throws IOException {
        int type = entries.get(whole).getType();
        Deque<Resolved> chain = new ArrayDeque<>();
        chain.push(new Resolved(whole, file.inflate(entries.offset(whole)), id(whole)));
        while (!chain.isEmpty()) {
            deadline.check();
            Resolved base = chain.getFirst();
            int child = children.take(base.entry(), base.id());
            if (child == PackEntries.NONE) {
                chain.pop();
                continue;
            }
            byte[] delta = file.inflate(entries.offset(child));
            byte[] content = BinaryDelta.apply(base.content(), delta);
            intake.take(child, type, content);
            if (entries.hasReferences()) {
                // What names it as its base is found by its id.
                intake.settle();
                intake.requireSound();
            }
            if (children.has(child, id(child))) {
                chain.push(new Resolved(child, content, id(child)));
            }
        }
    }
}
