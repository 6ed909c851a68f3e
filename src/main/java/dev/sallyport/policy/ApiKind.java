package dev.sallyport.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// The kinds of API operations that change something, by the keys of `api:`.
public enum ApiKind {
    PULLS,
    ISSUES,
    RERUN;

    /// Empty for what only reads.
    static Optional<ApiKind> of(ApiOperation operation) {
        return switch (operation) {
            case REPOSITORY_READ, PULL_READ, ISSUE_READ, CHECKS_READ, LOGS_READ -> Optional.empty();
            case PULL_OPEN, PULL_EDIT, PULL_COMMENT, PULL_READY, PULL_REVIEWERS ->
                    Optional.of(PULLS);
            case ISSUE_OPEN, ISSUE_COMMENT -> Optional.of(ISSUES);
            case RERUN -> Optional.of(RERUN);
        };
    }

    /// What a person means by this word.
    public static Optional<ApiKind> of(String label) {
        return Arrays.stream(values()).filter(kind -> kind.label().equals(label)).findFirst();
    }

    /// As a person writes it.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return label();
    }
}
