package dev.sallyport.policy;

/// Everything that a sandbox can be allowed to do with the API of a hosting service. What is not in
/// this list cannot be allowed: merging, approving, refs, contents, releases, settings and the rest
/// of what a token could do (G16).
public enum ApiOperation implements Word {
    /// Metadata, branches, commits, comparisons, contents, labels, milestones, releases.
    REPOSITORY_READ,
    PULL_READ,
    ISSUE_READ,
    /// Check runs, statuses, runs, jobs, lists of artifacts.
    CHECKS_READ,
    /// Logs of jobs and runs, artifacts.
    LOGS_READ,
    PULL_OPEN,
    /// Title, text, base, closing and reopening.
    PULL_EDIT,
    PULL_COMMENT,
    /// Ready for review, or a draft again.
    PULL_READY,
    PULL_REVIEWERS,
    ISSUE_OPEN,
    ISSUE_COMMENT,
    /// Runs a workflow again.
    RERUN;

    public boolean isWrite() {
        return switch (this) {
            case REPOSITORY_READ, PULL_READ, ISSUE_READ, CHECKS_READ, LOGS_READ -> false;
            case PULL_OPEN,
                    PULL_EDIT,
                    PULL_COMMENT,
                    PULL_READY,
                    PULL_REVIEWERS,
                    ISSUE_OPEN,
                    ISSUE_COMMENT,
                    RERUN ->
                    true;
        };
    }
}
