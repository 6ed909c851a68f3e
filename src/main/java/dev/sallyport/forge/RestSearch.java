package dev.sallyport.forge;

import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// A search among the issues and pull requests of one granted repository. Nothing else can be
/// searched: code, commits, people and repositories lead everywhere.
final class RestSearch {
    static final List<String> PATH = List.of("search", "issues");

    private static final Set<String> PARAMETERS = Set.of("q", "sort", "order", "page", "per_page");

    private RestSearch() {}

    static RestVerdict judge(Policy policy, RestRequest request) throws ObjectionException {
        if (!request.isRead()) {
            throw new ObjectionException(
                    Refusal.OPERATION_NOT_ALLOWED, "a search is a request with GET");
        }
        Map<String, String> query = new TreeMap<>(RestQuery.parse(request.query(), PARAMETERS));
        SearchText text = SearchText.parse(query.getOrDefault("q", ""));
        RepoName repo;
        try {
            repo = RepoName.of(request.host(), text.owner(), text.name());
        } catch (MalformedNameException _) {
            return RestVerdict.NOT_FOUND;
        }
        Map<String, String> detail =
                Map.of("repo", repo.key(), "operation", "repository-read", "route", "search");
        return switch (policy.decide(repo, ApiOperation.REPOSITORY_READ)) {
            case Decision.Deny<ApiPermit>(Refusal reason) ->
                    reason == Refusal.REPO_UNAVAILABLE
                            ? new RestVerdict.Denied(reason, "Not Found", true, detail)
                            : new RestVerdict.Denied(
                                    reason,
                                    "reading is not allowed, nor is a search",
                                    false,
                                    detail);
            case Decision.Allow<ApiPermit>(ApiPermit permit) -> {
                RepoName granted = permit.repo();
                query.put("q", text.text(granted.owner() + "/" + granted.name()));
                yield new RestVerdict.Forward(
                        permit,
                        request.method(),
                        ApiHost.of(granted.host()).restRoot()
                                + "/search/issues"
                                + RestQuery.text(query),
                        Map.of("accept", RestMedia.JSON.accept()),
                        new byte[0],
                        request.method().equals("HEAD")
                                ? AnswerTreatment.NO_BODY
                                : AnswerTreatment.JSON,
                        detail);
            }
        };
    }
}
