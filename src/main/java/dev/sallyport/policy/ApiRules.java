package dev.sallyport.policy;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

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
/// @param forge whose API it is
/// @param ask the kinds of operations that happen only when a person says yes
public record ApiRules(
        ApiLevel read,
        ApiLevel checks,
        ApiLevel pulls,
        ApiLevel issues,
        boolean rerun,
        List<String> reviewers,
        boolean textCommands,
        Forge forge,
        Set<ApiKind> ask) {
    public static final ApiRules NONE =
            new ApiRules(
                    ApiLevel.OFF,
                    ApiLevel.OFF,
                    ApiLevel.OFF,
                    ApiLevel.OFF,
                    false,
                    List.of(),
                    false);

    /// Those of GitHub.
    public ApiRules(
            ApiLevel read,
            ApiLevel checks,
            ApiLevel pulls,
            ApiLevel issues,
            boolean rerun,
            List<String> reviewers,
            boolean textCommands) {
        this(read, checks, pulls, issues, rerun, reviewers, textCommands, Forge.GITHUB, Set.of());
    }

    public ApiRules {
        if (read == ApiLevel.WRITE || checks == ApiLevel.WRITE) {
            throw new IllegalArgumentException("read and checks are off or read");
        }
        ask = Collections.unmodifiableSet(new TreeSet<>(ask));
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

    /// The same for another hosting service.
    public ApiRules withForge(Forge other) {
        return new ApiRules(
                read, checks, pulls, issues, rerun, reviewers, textCommands, other, ask);
    }

    /// The same with a question before operations of these kinds.
    public ApiRules withAsk(Collection<ApiKind> kinds) {
        return new ApiRules(
                read,
                checks,
                pulls,
                issues,
                rerun,
                reviewers,
                textCommands,
                forge,
                new TreeSet<>(kinds));
    }

    /// Whether a person is asked before it happens.
    public boolean asks(ApiOperation operation) {
        return ApiKind.of(operation).filter(ask::contains).isPresent();
    }

    public boolean isNone() {
        return withForge(Forge.GITHUB).withAsk(List.of()).equals(NONE);
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

    /// What both allow, which is nothing when they are about different services.
    ApiRules and(ApiRules other) {
        if (forge != other.forge) {
            return NONE;
        }
        Set<ApiKind> both = new TreeSet<>(ask);
        both.addAll(other.ask);
        return new ApiRules(
                ApiLevel.least(read, other.read),
                ApiLevel.least(checks, other.checks),
                ApiLevel.least(pulls, other.pulls),
                ApiLevel.least(issues, other.issues),
                rerun && other.rerun,
                reviewers.stream().filter(other.reviewers::contains).toList(),
                textCommands && other.textCommands,
                forge,
                both);
    }

    /// Nothing can be proposed where nothing can be pushed.
    public ApiRules atMost(Access access) {
        return access == Access.WRITE ? this : withPulls(ApiLevel.least(pulls, ApiLevel.READ));
    }

    private ApiRules withPulls(ApiLevel level) {
        return new ApiRules(
                read, checks, level, issues, rerun, reviewers, textCommands, forge, ask);
    }

    /// The kinds of API operations that change something, by the keys of `api:`.
    public enum ApiKind implements Word {
        PULLS,
        ISSUES,
        RERUN;

        /// Empty for what only reads.
        static Optional<ApiKind> of(ApiOperation operation) {
            return switch (operation) {
                case REPOSITORY_READ, PULL_READ, ISSUE_READ, CHECKS_READ, LOGS_READ ->
                        Optional.empty();
                case PULL_OPEN, PULL_EDIT, PULL_COMMENT, PULL_READY, PULL_REVIEWERS ->
                        Optional.of(PULLS);
                case ISSUE_OPEN, ISSUE_COMMENT -> Optional.of(ISSUES);
                case RERUN -> Optional.of(RERUN);
            };
        }

        @Override
        public String toString() {
            return label();
        }
    }
}
