package dev.sallyport.forge;

import dev.sallyport.forge.graphql.Change;
import dev.sallyport.forge.graphql.Placed;
import dev.sallyport.forge.graphql.RepositoryView;
import dev.sallyport.forge.graphql.Rights;
import dev.sallyport.forge.graphql.Verdict;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// What both judges ask about one session while they judge one request. Nothing here waits: what is
/// not known is noted, and the request judged again when it is.
final class SessionView implements Facts, Rights {
    /// Who a session is that has no account of its own to ask about.
    static final String NOBODY = "sallyport";

    private final Policy policy;
    private final ApiSite site;
    private final Known known;
    private boolean missesLogin;

    SessionView(Policy policy, ApiSite site, Known known) {
        this.policy = policy;
        this.site = site;
        this.known = known;
    }

    /// The account that the credential belongs to: what it did is found under that name, and
    /// searches for `@me` go upstream as it.
    @Override
    public String login() {
        Optional<String> login = known.login();
        missesLogin |= login.isEmpty();
        return login.orElse(NOBODY);
    }

    boolean missesLogin() {
        return missesLogin;
    }

    @Override
    public Optional<RepoName> repository(long id) {
        return known.repository(id);
    }

    @Override
    public OptionalLong id(RepoName repo) {
        return known.id(repo);
    }

    @Override
    public Optional<Numbered> number(RepoName repo, long number) {
        return known.numbered(repo, number);
    }

    @Override
    public Optional<Long> commented(RepoName repo, long comment) {
        return known.commented(repo, comment);
    }

    @Override
    public Optional<RepositoryView> repository(String owner, String name) {
        return RepoUrl.name(site.git(), owner, name)
                .flatMap(repo -> ApiSite.any(policy, repo))
                .map(permit -> new RepositoryView(permit.repo(), known.id(permit.repo())));
    }

    @Override
    public boolean allows(RepositoryView repository, ApiOperation operation) {
        return policy.decide(repository.name(), operation) instanceof Decision.Allow<ApiPermit>;
    }

    @Override
    public Optional<Placed> place(String nodeId) {
        return known.place(nodeId);
    }

    @Override
    public Optional<Verdict.Denied> objection(Change change) {
        Decision<ApiPermit> decision =
                policy.decide(change.repository().name(), change.operation());
        return switch (decision) {
            case Decision.Deny(Refusal reason) ->
                    Optional.of(new Verdict.Denied(reason, reason.sentence()));
            case Decision.Allow(ApiPermit permit) ->
                    objection(permit, change)
                            .map(found -> new Verdict.Denied(found.reason(), found.message()));
        };
    }

    private static Optional<Objection> objection(ApiPermit permit, Change change) {
        return ofHead(permit, change)
                .or(() -> change.base().flatMap(WriteRules::base))
                .or(() -> WriteRules.reviewers(permit, change.reviewers()))
                .or(() -> ofTexts(permit, change.texts()));
    }

    private static Optional<Objection> ofHead(ApiPermit permit, Change change) {
        return switch (change.operation()) {
            case ISSUE_OPEN, ISSUE_COMMENT -> Optional.empty();
            default -> WriteRules.head(permit, change.head().flatMap(SessionView::head));
        };
    }

    /// Empty when it is in no granted repository, or is no name of a branch.
    private static Optional<PullHead> head(Change.Head head) {
        return GitText.branch(head.branch())
                .flatMap(
                        branch -> head.repository().map(repo -> new PullHead(repo.name(), branch)));
    }

    private static Optional<Objection> ofTexts(ApiPermit permit, Map<String, String> texts) {
        return texts.entrySet().stream()
                .flatMap(
                        text ->
                                (text.getKey().equals("title")
                                                ? TextRules.title(permit, text.getValue())
                                                : TextRules.body(permit, text.getValue()))
                                        .stream())
                .findFirst();
    }
}
