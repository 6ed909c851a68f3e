package dev.sallyport.push;

import dev.sallyport.policy.PathName;
import dev.sallyport.policy.PathPattern;
import dev.sallyport.policy.PushRules;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Which changed paths are objected to.
final class PathRules {
    /// What git itself reads in a work tree. As a link it would make git read another file, which
    /// may be outside; git's own `fsck` knows these four.
    private static final List<PathPattern> READ_BY_GIT =
            Stream.of(".gitmodules", ".gitattributes", ".gitignore", ".mailmap")
                    .map(name -> PathPattern.of("**/" + name))
                    .toList();

    private final List<PathPattern> denied;
    private final Optional<List<PathPattern>> allowed;

    private final List<PathPattern> asked;

    PathRules(PushRules rules) {
        this.denied = rules.content().pathsDenied();
        this.allowed = rules.content().pathsAllowed();
        this.asked = rules.ask().paths();
    }

    /// Whether any change below a directory can be objected to, other than for its encoding.
    boolean concern(Optional<PathName> directory) {
        if (directory.isEmpty() || allowed.isPresent()) {
            return true;
        }
        PathName path = directory.get();
        return Stream.concat(denied.stream(), asked.stream()).anyMatch(p -> p.leadsThrough(path));
    }

    /// By which rule a person is asked about a change of this path, if anybody is.
    ///
    /// @param path empty when it is not UTF-8
    Optional<String> question(Optional<PathName> path, int mode) {
        if (path.isEmpty()) {
            return asked.isEmpty() ? Optional.empty() : Optional.of("not UTF-8");
        }
        return asked.stream()
                .filter(pattern -> covers(pattern, path.get(), mode))
                .findFirst()
                .map(pattern -> "rule " + pattern);
    }

    /// What leads elsewhere stands for all that is there.
    private static boolean covers(PathPattern pattern, PathName path, int mode) {
        boolean leads = TreeCursor.isSymlink(mode) || TreeCursor.isGitlink(mode);
        return leads ? pattern.leadsThrough(path) : pattern.matchesLoosely(path);
    }

    /// Whether this is a path, in any spelling, of what git reads and follows no link for.
    static boolean isReadByGit(String path) {
        PathName name = PathName.of(path);
        return READ_BY_GIT.stream().anyMatch(pattern -> pattern.matchesLoosely(name));
    }

    /// What is wrong with a change of this path, if anything.
    ///
    /// @param path empty when it is not UTF-8: such a path cannot be compared with patterns
    /// @param mode what is there afterwards; 0 for nothing
    Optional<String> objection(Optional<PathName> path, int mode) {
        if (path.isEmpty()) {
            return denied.isEmpty() && allowed.isEmpty()
                    ? Optional.empty()
                    : Optional.of("not UTF-8");
        }
        for (PathPattern pattern : denied) {
            if (covers(pattern, path.get(), mode)) {
                return Optional.of("rule " + pattern);
            }
        }
        if (allowed.isPresent() && allowed.get().stream().noneMatch(p -> p.matches(path.get()))) {
            return Optional.of("outside the allowed paths");
        }
        return Optional.empty();
    }
}
