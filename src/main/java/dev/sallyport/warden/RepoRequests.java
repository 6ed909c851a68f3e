package dev.sallyport.warden;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.GitRule;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.LfsRules;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.Word;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    /// What a person writes after `--repo`: `[host/]owner/name[:read|:write]`. Without a host it is
    /// github.com; without an access it is what the policy file says, and write when it says
    /// nothing.
    record RepoRequest(RepoPattern repo, Optional<Access> access) {
        private static final String FORM = "Write it as [host/]owner/name[:read|:write].";

        static RepoRequest parse(String text, PolicyFile policy) throws OperationException {
            int colon = text.lastIndexOf(':');
            String repo = colon < 0 ? text : text.substring(0, colon);
            Optional<Access> access =
                    colon < 0 ? Optional.empty() : Optional.of(access(text.substring(colon + 1)));
            RepoPattern pattern = pattern(GitHost.named(repo));
            requireKnown(pattern, policy);
            return new RepoRequest(pattern, access);
        }

        private static Access access(String word) throws OperationException {
            Optional<Access> access = Word.of(Access.class, word);
            if (access.isEmpty()) {
                throw malformed("its access is neither read nor write");
            }
            return access.get();
        }

        private static RepoPattern pattern(String text) throws OperationException {
            try {
                return RepoPattern.parse(text);
            } catch (MalformedNameException e) {
                throw malformed(String.valueOf(e.getMessage()));
            }
        }

        private static OperationException malformed(String rule) {
            return OperationException.invalid("Not a repository: " + rule + ".", FORM);
        }

        private static void requireKnown(RepoPattern pattern, PolicyFile policy)
                throws OperationException {
            if (policy.host(pattern.host()).isEmpty()) {
                throw OperationException.invalid(
                        "The git host " + pattern.host() + " is not allowed.",
                        "To allow it, add it under hosts: in policy.yaml.");
            }
            if (pattern.isNested()
                    && !policy.host(pattern.host()).orElseThrow().kind().hasGroups()) {
                throw malformed("it has more than an owner and a name");
            }
        }

        /// The same with no more access than the rule allows that covers it.
        RepoRequest atMost(PolicyFile policy) {
            Optional<Access> most = policy.rule(repo).map(rule -> rule.grant().access());
            boolean over = most.isPresent() && access.orElse(most.get()).compareTo(most.get()) > 0;
            return over ? new RepoRequest(repo, most) : this;
        }

        /// The grant under the rule that covers all of what is asked for; under the standard rules
        /// when there is none.
        RepoGrant grant(PolicyFile policy) throws OperationException {
            Optional<GitRule> rule = policy.rule(repo);
            if (rule.isEmpty()) {
                return standard(policy);
            }
            Access granted = rule.get().grant().access();
            if (access.orElse(granted).compareTo(granted) > 0) {
                throw OperationException.invalid(
                        "The policy allows only read access to %s (%s)."
                                .formatted(repo, rule.get().place()),
                        "Use " + repo + ":read, or set access: write there.");
            }
            return under(rule.get(), repo);
        }

        private RepoGrant standard(PolicyFile policy) {
            Access granted = access.orElse(Access.WRITE);
            Optional<Forge> forge = policy.host(repo.host()).flatMap(host -> host.kind().forge());
            return new RepoGrant(
                            repo,
                            granted,
                            RefVisibility.all(),
                            switch (granted) {
                                case READ -> PushRules.none();
                                case WRITE -> PushRules.standard();
                            })
                    .withApi(forge.map(ApiRules.standard(granted)::withForge).orElse(ApiRules.NONE))
                    .withLfs(LfsRules.standard(granted));
        }

        /// What a wildcard grants of one repository that has a rule of its own: never more than
        /// that rule, and never more than was asked for.
        RepoGrant within(GitRule rule) {
            return under(rule, rule.grant().repo());
        }

        private RepoGrant under(GitRule rule, RepoPattern granted) {
            RepoGrant most = rule.grant();
            boolean readOnly =
                    most.access() == Access.READ || access.equals(Optional.of(Access.READ));
            return new RepoGrant(
                    granted,
                    readOnly ? Access.READ : Access.WRITE,
                    most.visible(),
                    readOnly ? PushRules.none() : most.push(),
                    most.mirror(),
                    most.api(),
                    most.lfs());
        }
    }
}
