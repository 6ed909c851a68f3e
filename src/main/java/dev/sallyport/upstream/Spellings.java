package dev.sallyport.upstream;

import dev.sallyport.policy.RepoName;
import java.util.LinkedHashMap;
import java.util.Map;

/// Which repositories of plain hosts have a name without `.git`, as far as upstream was asked. All
/// others are asked for with it, as every hosting service understands. From any thread.
final class Spellings {
    private static final int REPOS_MAX = 10_000;

    private final Map<RepoName, Boolean> bare =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<RepoName, Boolean> eldest) {
                    return size() > REPOS_MAX;
                }
            };

    synchronized boolean isSuffixed(RepoName repo) {
        return !bare.containsKey(repo);
    }

    /// Upstream has it under this name.
    ///
    /// @param target that was asked for
    synchronized void found(RepoName repo, String target) {
        if (target.startsWith("/" + repo.owner() + "/" + repo.name() + ".git/")) {
            bare.remove(repo);
        } else {
            bare.put(repo, true);
        }
    }
}
