package dev.sallyport.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What of git's in a workspace counts. It has room for so much: who fills a workspace does not end
/// the comparison. What is large counts as a whole, so that every change of it does.
final class FoundTriggers {
    private static final int FILES_MAX = 20_000;
    private static final int MARKS_CHARS_MAX = 16 << 20;
    private static final int CHARS_OF_A_MARK = 100;

    private final Path root;
    private final FileState state;
    private final Map<Path, Trigger> found = new TreeMap<>();
    private int charsLeft = MARKS_CHARS_MAX;
    private boolean partial;

    FoundTriggers(Path root, FileState state) {
        this.root = root;
        this.state = state;
    }

    Map<Path, Trigger> found() {
        return found;
    }

    /// Whether there was no room for something.
    boolean isPartial() {
        return partial;
    }

    /// A link counts whatever it leads to.
    void put(Path file, Trigger.Kind kind, Set<String> marks) {
        Set<String> all = new TreeSet<>(marks);
        if (Files.isSymbolicLink(file)) {
            all.add(linkOrText(file));
        }
        Optional<Trigger> other = Optional.ofNullable(found.get(file));
        if (other.isEmpty() && found.size() >= FILES_MAX) {
            partial = true;
            return;
        }
        other.ifPresent(trigger -> all.addAll(trigger.marks()));
        int chars = all.stream().mapToInt(mark -> mark.length() + CHARS_OF_A_MARK).sum();
        boolean fits = chars <= charsLeft;
        charsLeft -= fits ? chars : 0;
        found.put(
                file,
                new Trigger(
                        kind,
                        fits ? all : Set.of("too much = " + state.of(file)),
                        other.map(Trigger::original).orElseGet(() -> state.original(root, file))));
    }

    /// Where a path leads that git follows, if that lies in the workspace. If a link leads out on
    /// the way, that link counts, with where it leads: others may write there, too.
    Optional<Path> inside(@Nullable Path from, String name) {
        Optional<Path> inside = GitFiles.inside(root, from, name);
        if (inside.isEmpty() && from != null && name.length() <= GitFiles.PATH_MAX) {
            try {
                Path named = from.resolve(name);
                String leads = "leads to " + named.toRealPath();
                for (Path at = named; at != null && !at.equals(root); at = at.getParent()) {
                    if (at.startsWith(root) && Files.isSymbolicLink(at)) {
                        put(at, Trigger.Kind.GIT, Set.of(leads));
                    }
                }
            } catch (IOException | InvalidPathException e) {
                // Then git finds nothing there.
            }
        }
        return inside;
    }

    void some(Path file, Predicate<String> counts) {
        if (FileState.isThere(file)) {
            put(file, Trigger.Kind.GIT, lines(file, counts));
        }
    }

    /// @param hashBytes of an object's id in this repository
    void index(Path file, int hashBytes) {
        Set<String> marks = Set.of();
        try {
            if (!Files.isRegularFile(file)) {
                marks = Set.of(unreadable(file));
            } else if (Files.size(file) <= GitIndex.BYTES_MAX && state.spend(file)) {
                marks = GitIndex.strange(file, hashBytes);
            } else {
                partial = true;
            }
        } catch (IOException e) {
            marks = Set.of(unreadable(file));
        }
        put(file, Trigger.Kind.GIT, marks);
    }

    Set<String> lines(Path file, Predicate<String> counts) {
        return text(file)
                .map(text -> text.lines().map(String::strip).filter(counts))
                .orElseGet(() -> Stream.of(unreadable(file)))
                .collect(Collectors.toSet());
    }

    Optional<String> text(Path file) {
        return state.spend(file) ? GitFiles.text(file) : Optional.empty();
    }

    String unreadable(Path file) {
        return "unreadable = " + state.of(file);
    }

    /// No path that git follows is longer.
    String linkOrText(Path file) {
        try {
            return Files.isSymbolicLink(file)
                    ? "link " + Files.readSymbolicLink(file)
                    : Files.size(file) <= GitFiles.PATH_MAX
                            ? GitFiles.exact(file).orElse(state.of(file))
                            : state.of(file);
        } catch (IOException e) {
            return "unreadable";
        }
    }
}
