package dev.sallyport.warden;

import dev.sallyport.config.GitRule;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Turns everything a person asked for into the grants of one session. The first grant that covers
/// a repository decides, so single repositories stand before wildcards, and a wildcard brings the
/// rules for single repositories of its owner along: it cannot widen them.
final class RepoRequests {
    private static final int REPOS_MAX = 64;

    /// All grants of a session travel in one message of the channel. A character takes at most
    /// three bytes there.
    private static final int GRANTS_CHARACTERS_MAX = 1 << 18;

    private final PolicyFile policy;
    private final Map<String, RepoRequest> requests = new LinkedHashMap<>();
    private final Map<String, RepoGrant> single = new LinkedHashMap<>();
    private final List<RepoGrant> wildcards = new ArrayList<>();

    private RepoRequests(PolicyFile policy) {
        this.policy = policy;
    }

    static List<RepoGrant> grants(List<String> repos, PolicyFile policy) throws OperationException {
        if (repos.size() > REPOS_MAX) {
            throw OperationException.invalid(
                    "A sandbox can have at most " + REPOS_MAX + " repositories.",
                    "Grant fewer, or all of one owner: owner/*");
        }
        RepoRequests all = new RepoRequests(policy);
        for (String repo : repos) {
            all.add(RepoRequest.parse(repo, policy));
        }
        List<RepoGrant> grants = all.grants();
        requireShort(grants);
        return grants;
    }

    /// What is left of what was asked for under rules that may be others than then: the access that
    /// they allow, and nothing where they allow none.
    static List<RepoGrant> again(List<String> repos, PolicyFile policy) {
        RepoRequests all = new RepoRequests(policy);
        for (String repo : repos) {
            RepoRequest request;
            try {
                request = RepoRequest.parse(repo, policy);
            } catch (OperationException _) {
                // Its host is not a git host any more.
                continue;
            }
            all.requests.putIfAbsent(request.repo().toString(), request.atMost(policy));
        }
        try {
            return all.grants();
        } catch (OperationException e) {
            throw new IllegalStateException("asked for no more than the rules allow", e);
        }
    }

    private void add(RepoRequest request) throws OperationException {
        RepoRequest before = requests.putIfAbsent(request.repo().toString(), request);
        if (before != null && !before.access().equals(request.access())) {
            throw OperationException.invalid(
                    "The repository " + request.repo() + " is given twice with different access.",
                    "Give it once, with the access you want.");
        }
    }

    private List<RepoGrant> grants() throws OperationException {
        for (RepoRequest request : requests.values()) {
            RepoGrant grant = request.grant(policy);
            if (request.repo().isWildcard()) {
                wildcards.add(grant);
            } else {
                single.put(key(grant.repo()), grant);
            }
        }
        // After all single ones: what was asked for one repository by name holds for it.
        for (RepoRequest request : requests.values()) {
            bringAlong(request);
        }
        return Stream.concat(single.values().stream(), wildcards.stream()).toList();
    }

    private void bringAlong(RepoRequest request) {
        if (request.repo().isWildcard()) {
            for (GitRule rule : policy.rulesWithin(request.repo())) {
                single.putIfAbsent(key(rule.grant().repo()), request.within(rule));
            }
        }
    }

    /// Ignores case, as grants do.
    private static String key(RepoPattern repo) {
        return repo.toString();
    }

    private static void requireShort(List<RepoGrant> grants) throws OperationException {
        long characters =
                grants.stream().mapToLong(grant -> GrantText.of(grant).toString().length()).sum();
        if (characters > GRANTS_CHARACTERS_MAX) {
            throw OperationException.invalid(
                    "The rules of this sandbox take "
                            + characters
                            + " characters; the limit is 262144.",
                    "Grant fewer repositories, or shorten their rules under git: in policy.yaml.");
        }
    }
}
