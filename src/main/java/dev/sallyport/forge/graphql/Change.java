package dev.sallyport.forge.graphql;

import dev.sallyport.policy.ApiOperation;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a mutation would change, as facts for the door's one rule.
///
/// @param repository where: that of the pull request or issue
/// @param head the head of the pull request that is opened or changed; empty for an issue
/// @param base the branch that it is opened against or retargeted to
/// @param texts what people will read, by the name of the input: `title`, `body`
/// @param reviewers logins, and teams as `organization/slug`
public record Change(
        ApiOperation operation,
        RepositoryView repository,
        Optional<Head> head,
        Optional<String> base,
        Map<String, String> texts,
        List<String> reviewers) {
    /// Where a pull request comes from.
    ///
    /// @param repository empty if it is not granted or not there any more
    /// @param branch without `refs/heads/`
    public record Head(Optional<RepositoryView> repository, String branch) {}

    public Change {
        texts = Map.copyOf(texts);
        reviewers = List.copyOf(reviewers);
    }
}
