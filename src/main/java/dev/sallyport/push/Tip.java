package dev.sallyport.push;

import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefUpdate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;

/// What one pushed ref will point to.
///
/// @param commit what it comes down to; empty when that is no commit
/// @param tags the tag objects on the way there
record Tip(RefUpdate update, Optional<ObjectId> commit, List<ObjectId> tags) {
    private static final int TAGS_MAX = 100;

    static ObjectId idOf(ObjectName name) {
        return ObjectId.fromString(name.hex());
    }

    static Tip of(RefUpdate update, ObjectSource objects) throws IOException {
        ObjectId id = idOf(update.after());
        List<ObjectId> tags = new ArrayList<>();
        int type = typeOf(id, objects);
        while (type == Constants.OBJ_TAG) {
            if (tags.size() == TAGS_MAX) {
                throw PushRefusedException.limit("a tag of a tag of a tag without end");
            }
            tags.add(id);
            id = CommitText.id(objects.tag(id), 0, "object ");
            type = typeOf(id, objects);
        }
        boolean isCommit = type == Constants.OBJ_COMMIT;
        return new Tip(update, isCommit ? Optional.of(id) : Optional.empty(), tags);
    }

    private static int typeOf(ObjectId id, ObjectSource objects) throws IOException {
        int position = objects.pack().find(id);
        if (position != PackContents.NONE) {
            return objects.pack().type(position);
        }
        try {
            return objects.mirror().open(id, ObjectReader.OBJ_ANY).getType();
        } catch (MissingObjectException e) {
            throw PushRefusedException.missing(
                    "object "
                            + id.name()
                            + " is neither in the pack nor in a branch or tag of upstream");
        }
    }

    /// A branch takes a commit and nothing that leads to one; a tag takes both.
    boolean isFit() {
        return commit.isPresent() && (update.ref().isTag() || tags.isEmpty());
    }
}
