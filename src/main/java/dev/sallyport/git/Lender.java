package dev.sallyport.git;

import dev.sallyport.mirror.Progress;
import dev.sallyport.policy.RepoName;
import dev.sallyport.session.LiveSession;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/// Gives a sandbox the objects of a repository as files that it can read.
public interface Lender {
    /// Completes when everything is there, with whether it is. Never fails: without it, a clone
    /// goes through the door.
    ///
    /// @param directory empty, and mounted read-only in this session's sandbox alone
    CompletableFuture<Boolean> lend(
            LiveSession session, RepoName repo, Path directory, Progress progress);
}
