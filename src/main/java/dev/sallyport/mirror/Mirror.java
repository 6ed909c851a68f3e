package dev.sallyport.mirror;

import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jgit.internal.storage.file.FileRepository;

/// A copy that is lent: until it is closed nothing that it has goes away. It may gain objects when
/// somebody else refreshes it.
///
/// What is in it is what visible refs reach, or reached once. So a session to which these refs are
/// visible learns nothing from it that upstream would not have told.
public final class Mirror implements AutoCloseable {
    private static final int REACH_SECONDS_MAX = 60;

    private final Mirrors mirrors;
    private final Shelf.Place place;
    private final FileRepository repository;
    private final Map<RefName, ObjectName> refs;
    private final Set<ObjectName> shallow;
    private final Optional<RefName> head;
    private final AtomicBoolean closed = new AtomicBoolean();

    /// @param repository closed with this
    Mirror(Mirrors mirrors, Shelf.Place place, FileRepository repository, Advertised now) {
        this.mirrors = mirrors;
        this.place = place;
        this.repository = repository;
        this.refs = Collections.unmodifiableMap(new LinkedHashMap<>(now.refs()));
        this.shallow = Set.copyOf(now.shallow());
        this.head = now.head();
    }

    /// What upstream has now and the session may see: without `HEAD`, without the peeled ends of
    /// tags.
    public Map<RefName, ObjectName> refs() {
        return refs;
    }

    /// Commits whose parents upstream does not have: what was before them is not known, so it
    /// counts as not there.
    public Set<ObjectName> shallow() {
        return shallow;
    }

    /// The objects directory, to be named as an alternate. Its indexes stay in memory for
    /// repositories that are opened by JGit in this process.
    public Path objects() {
        return place.copy().objects();
    }

    /// Those of the objects that a visible ref reaches, in one walk of limited time, which an
    /// interruption ends: commits by walking from the refs, annotated tags by tip, other objects by
    /// presence.
    public Set<ObjectName> reached(Set<ObjectName> ids) throws IOException {
        return new History(repository, shallow)
                .reached(refs.values(), ids, Deadline.in(REACH_SECONDS_MAX));
    }

    /// Makes ready to answer a fetch with what is here.
    ///
    /// @param wants ids that the session asks for
    /// @param claims ids that it says it has
    /// @throws IOException when the copy cannot answer: a visible ref does not reach a want, or
    ///   that would take too long or too much memory to find out
    public Upload upload(Set<ObjectName> wants, Set<ObjectName> claims) throws IOException {
        if (!shallow.isEmpty()) {
            throw new LimitException("upstream itself does not have the whole history");
        }
        return Upload.prepare(
                repository, refs, mirrors.weights(), mirrors.uploadShare(), wants, claims);
    }

    /// Comes right before a sandbox can read what is shared; when it fails, nothing is.
    public interface Before {
        /// Records it.
        void run() throws IOException, InterruptedException;
    }

    /// Makes an empty directory a bare repository with exactly what the refs reach that upstream
    /// has now and the session may see; its packs are shared with others of the same right.
    public void share(Path directory, Before before) throws IOException, InterruptedException {
        if (!shallow.isEmpty()) {
            throw new LimitException("upstream itself does not have the whole history");
        }
        SharedPacks.Refs shown = new SharedPacks.Refs(refs, head);
        mirrors.share(place, repository, shown, directory, before);
    }

    /// Upstream took a push, and the refs it changed are visible: its pack, which must be complete
    /// in itself, joins the copy. That may fail quietly; then the next refresh fetches it.
    public void adopt(Path pack, Path index) {
        mirrors.adopt(place, pack, index);
    }

    /// Something in the copy is not as it must be: it is built anew at the next refresh.
    public void distrust() {
        mirrors.distrust(place);
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            repository.close();
            mirrors.giveBack(place);
        }
    }
}
