package dev.sallyport.policy;

import java.util.List;
import java.util.Locale;

/// What a grant allows of the hosting service's API, by kinds of operations. [#NONE] allows
/// nothing.
///
/// @param read metadata, contents, pull requests and issues; `OFF` or `READ`
/// @param checks check runs, statuses, runs, jobs, logs, artifacts; `OFF` or `READ`
/// @param pulls `WRITE` opens, edits, comments, makes ready, requests reviewers
/// @param issues `WRITE` opens and comments
/// @param rerun whether a workflow may be run again
/// @param reviewers the logins that may be asked for a review, in lower case; empty means nobody
/// @param textCommands whether texts may command bots: lines that begin with a slash, mentions of
///   bots (G24)
public record ApiRules(
        ApiLevel read,
        ApiLevel checks,
        ApiLevel pulls,
        ApiLevel issues,
        boolean rerun,
        List<String> reviewers,
        boolean textCommands) {
    public static final ApiRules NONE =
            new ApiRules(
                    ApiLevel.OFF,
                    ApiLevel.OFF,
                    ApiLevel.OFF,
                    ApiLevel.OFF,
                    false,
                    List.of(),
                    false);

    public ApiRules {
        if (read == ApiLevel.WRITE || checks == ApiLevel.WRITE) {
            throw new IllegalArgumentException("read and checks are off or read");
        }
        reviewers = reviewers.stream().map(login -> login.toLowerCase(Locale.ROOT)).toList();
    }

    /// What a grant with this access means when nobody says more.
    public static ApiRules standard(Access access) {
        return new ApiRules(
                ApiLevel.READ,
                ApiLevel.READ,
                access == Access.WRITE ? ApiLevel.WRITE : ApiLevel.OFF,
                ApiLevel.OFF,
                false,
                List.of(),
                false);
    }

    public boolean isNone() {
        return equals(NONE);
    }

    public boolean allows(ApiOperation operation) {
        return switch (operation) {
            case REPOSITORY_READ -> reads(read);
            case PULL_READ -> reads(read) || reads(pulls);
            case ISSUE_READ -> reads(read) || reads(issues);
            case CHECKS_READ, LOGS_READ -> reads(checks);
            case PULL_OPEN, PULL_EDIT, PULL_COMMENT, PULL_READY -> pulls == ApiLevel.WRITE;
            case PULL_REVIEWERS -> pulls == ApiLevel.WRITE && !reviewers.isEmpty();
            case ISSUE_OPEN, ISSUE_COMMENT -> issues == ApiLevel.WRITE;
            case RERUN -> rerun;
        };
    }

    private static boolean reads(ApiLevel level) {
        return level != ApiLevel.OFF;
    }

    /// What both allow.
    ApiRules and(ApiRules other) {
        return new ApiRules(
                least(read, other.read),
                least(checks, other.checks),
                least(pulls, other.pulls),
                least(issues, other.issues),
                rerun && other.rerun,
                reviewers.stream().filter(other.reviewers::contains).toList(),
                textCommands && other.textCommands);
    }

    /// Nothing can be proposed where nothing can be pushed.
    public ApiRules atMost(Access access) {
        return access == Access.WRITE ? this : withPulls(least(pulls, ApiLevel.READ));
    }

    private ApiRules withPulls(ApiLevel level) {
        return new ApiRules(read, checks, level, issues, rerun, reviewers, textCommands);
    }

    private static ApiLevel least(ApiLevel one, ApiLevel other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
