package dev.sallyport.git;

import dev.sallyport.http.RequestHandler;
import dev.sallyport.policy.RepoName;
import dev.sallyport.relay.Ask;

/// Serves what is below `info/lfs/` of a repository.
public interface LargeFiles {
    /// Serves one request.
    ///
    /// @param path what follows `info/lfs/`
    RequestHandler open(Ask ask, RepoName repo, String path);
}
