package dev.sallyport.push;

import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.PathPattern;
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

    PathRules(ContentRules rules) {
        this.denied = rules.pathsDenied();
        this.allowed = rules.pathsAllowed();
    }

    /// Whether any change below a directory can be objected to, other than for its encoding.
    boolean concern(Optional<String> directory) {
        if (directory.isEmpty() || allowed.isPresent()) {
            return true;
        }
        String path = directory.get();
        return denied.stream().anyMatch(p -> p.leadsThrough(path));
    }

    /// Whether this is a path, in any spelling, of what git reads and follows no link for.
    static boolean isReadByGit(String path) {
        return READ_BY_GIT.stream().anyMatch(pattern -> pattern.matchesLoosely(path));
    }

    /// What is wrong with a change of this path, if anything.
    ///
    /// @param path empty when it is not UTF-8: such a path cannot be compared with patterns
    /// @param mode what is there afterwards; 0 for nothing
    Optional<String> objection(Optional<String> path, int mode) {
        if (path.isEmpty()) {
            return denied.isEmpty() && allowed.isEmpty()
                    ? Optional.empty()
                    : Optional.of("not UTF-8");
        }
        boolean leads = TreeCursor.isSymlink(mode) || TreeCursor.isGitlink(mode);
        for (PathPattern pattern : denied) {
            if (leads ? pattern.leadsThrough(path.get()) : pattern.matchesLoosely(path.get())) {
                return Optional.of("rule " + pattern);
            }
        }
        if (allowed.isPresent() && allowed.get().stream().noneMatch(p -> p.matches(path.get()))) {
            return Optional.of("outside the allowed paths");
        }
        return Optional.empty();
    }
}
