package dev.sallyport.forge;

import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RepoName;
import java.util.Optional;
import java.util.function.Function;

/// Where a pull request comes from.
public record PullHead(RepoName repo, RefName branch) {
    /// @param place the repository that a part of an answer names
    static Optional<PullHead> of(
            AnswerObject head, Function<AnswerObject, Optional<RepoName>> place) {
        return head.part("repo")
                .flatMap(place)
                .flatMap(
                        repo ->
                                head.text("ref")
                                        .flatMap(GitText::branch)
                                        .map(branch -> new PullHead(repo, branch)));
    }

    /// May a session act on a pull request with this head? The one rule, for REST and for queries:
    /// it comes from the repository that the permit is for, and from a branch that this session
    /// could have pushed itself. Else the API would be a way around the rules for pushes (G16).
    public boolean isOwn(ApiPermit permit) {
        return repo.equals(permit.repo()) && permit.mayPush(branch);
    }
}
