package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The directories that a sandbox has or had to write to, each with the repository that belongs to
/// it: its origin before the first sandbox had it, or another that a person has accepted since. An
/// agent can rewrite the origin, so an answer that was given for one holds for no other (I15). The
/// list is a JSON file of the [Home].
public final class KnownWorkspaces {
    private static final String NONE = "none";
    private static final PathNotes.Shape SHAPE =
            new PathNotes.Shape(
                    "origin",
                    Pattern.compile("[\\x21-\\x7e]{1,1000}"),
                    10_000,
                    8 << 20,
                    "workspaces",
                    "confirm the origin of each workspace again with --yes or at a terminal");

    private final Home home;
    private final PathNotes notes;

    public KnownWorkspaces(Home home) {
        this.home = home;
        notes = new PathNotes(home.knownWorkspaces(), SHAPE);
    }

    /// What is known of one workspace.
    ///
    /// @param origin empty when it had none
    public record Known(Optional<String> origin) {}

    /// Empty when no sandbox ever had it. A sandbox that had a directory could write everything
    /// below it, so what is known of the one holds for the other.
    public Optional<Known> find(Path workspace) throws IOException {
        Map<Path, PathNotes.Note> all = notes.load();
        for (Path at = PathNotes.canonical(workspace); at != null; at = at.getParent()) {
            PathNotes.Note note = all.get(at);
            if (note != null) {
                return Optional.of(
                        new Known(Optional.of(note.word()).filter(name -> !name.equals(NONE))));
            }
        }
        return Optional.empty();
    }

    public Set<Path> all() throws IOException {
        return notes.load().keySet();
    }

    /// Remembers this instead of what was known.
    public void accept(Path workspace, Optional<String> origin) throws IOException {
        home.create(home.root());
        notes.put(workspace, origin.orElse(NONE));
    }

    /// Remembers this unless something is known.
    public void see(Path workspace, Optional<String> origin) throws IOException {
        if (find(workspace).isEmpty()) {
            accept(workspace, origin);
        }
    }
}
