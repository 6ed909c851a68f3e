package dev.sallyport.policy;

import dev.sallyport.policy.EgressPermit.Ground;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;

/// What one session may do: compiled once, never changed, asked by every door. Empty allows
/// nothing.
public final class Policy {
    /// What is written when tokens are asked for or given back: the one secret that whoever does it
    /// has at hand, as a bearer token.
    public static final Injection MINTING =
            new Injection("github-app", new Injection.Place.Bearer(), Optional.empty());

    /// What is written when the API of a cluster is asked about a pod, likewise.
    public static final Injection REVIEWING =
            new Injection("kubernetes", new Injection.Place.Bearer(), Optional.empty());

    private static final int GIT_PORT = 443;

    /// Where git in a sandbox asks for a repository: nobody else can hear what is said there.
    private static final int GIT_PLAIN_PORT = 80;

    private final SessionId session;
    private final List<RepoGrant> grants;
    private final Egress egress;
    private final List<TokenEndpoint> endpoints;
    private final String digest;

    // Of the grants. Every connection, name and request is compared with them.
    private final SortedSet<HostName> gitHosts;
    private final SortedMap<HostName, Forge> apis;
    private final SortedSet<HostName> forges;

    /// One that reaches nothing but git.
    public Policy(SessionId session, List<RepoGrant> grants) {
        this(session, grants, Egress.NONE);
    }

    /// One whose secrets are none that are renewed.
    public Policy(SessionId session, List<RepoGrant> grants, Egress egress) {
        this(session, grants, egress, List.of());
    }

    /// @param endpoints where the session's logins are renewed; no sandbox reaches anything by them
    public Policy(
            SessionId session,
            List<RepoGrant> grants,
            Egress egress,
            List<TokenEndpoint> endpoints) {
        this.session = session;
        this.grants = List.copyOf(grants);
        this.egress = egress;
        this.endpoints = List.copyOf(endpoints);
        this.digest = PolicyDigest.of(this.grants, egress);
        SortedSet<HostName> git = new TreeSet<>();
        SortedMap<HostName, Forge> spoken = new TreeMap<>();
        for (RepoGrant grant : this.grants) {
            git.add(grant.repo().host());
            if (!grant.api().isNone()) {
                spoken.putIfAbsent(grant.repo().host(), grant.api().forge());
            }
        }
        SortedSet<HostName> all = new TreeSet<>(git);
        spoken.forEach((host, forge) -> all.add(ApiHost.of(forge, host).name()));
        this.gitHosts = Collections.unmodifiableSortedSet(git);
        this.apis = Collections.unmodifiableSortedMap(spoken);
        this.forges = Collections.unmodifiableSortedSet(all);
    }

    /// May this session speak `service` with `repo` at all? The first grant that covers the
    /// repository decides, and its access settles the direction: a wider grant after it adds
    /// nothing.
    public Decision<GitPermit> decide(RepoName repo, GitService service) {
        return granted(repo, (grant, name) -> decide(grant, name, service));
    }

    /// May this session do this with the API of `repo`? The same grant decides as for git.
    public Decision<ApiPermit> decide(RepoName repo, ApiOperation operation) {
        return granted(repo, (grant, name) -> decide(grant, name, operation));
    }

    /// May this session download large files of `repo`, or upload them? As for git, and as far as
    /// the grant's rules for these go.
    public Decision<GitPermit> decideLfs(RepoName repo, GitService service) {
        return granted(
                repo,
                (grant, name) ->
                        switch (decide(grant, name, service)) {
                            case Decision.Allow<GitPermit> allow ->
                                    grant.lfs().allows(service)
                                            ? allow
                                            : new Decision.Deny<>(Refusal.LFS_NOT_ALLOWED);
                            case Decision.Deny<GitPermit> deny -> deny;
                        });
    }

    /// May the objects that were asked for with this permit be moved from or to this host, because
    /// the git host says that it keeps them there? Without the git host's credential.
    public Decision<EgressPermit> decideStorage(GitPermit permit, HostName store) {
        boolean holds =
                decideLfs(permit.repo(), permit.service())
                                instanceof Decision.Allow<GitPermit>(GitPermit present)
                        && present.isLike(permit);
        if (!holds || !permit.keepsObjectsAt(store)) {
            return new Decision.Deny<>(Refusal.NAME_NOT_ALLOWED);
        }
        EgressRule rule = withoutRequests(store, GIT_PORT, Reach.PUBLIC, "lfs");
        return new Decision.Allow<>(permit(store, GIT_PORT, rule, Ground.STORAGE));
    }

    private <P extends Permit> Decision<P> granted(
            RepoName repo, BiFunction<RepoGrant, RepoName, Decision<P>> decision) {
        for (RepoGrant grant : grants) {
            Optional<RepoName> granted = grant.repo().match(repo);
            if (granted.isPresent()) {
                return decision.apply(grant, granted.get());
            }
        }
        return new Decision.Deny<>(Refusal.REPO_UNAVAILABLE);
    }

    private Decision<ApiPermit> decide(RepoGrant grant, RepoName repo, ApiOperation operation) {
        if (grant.api().isNone()) {
            return new Decision.Deny<>(Refusal.REPO_UNAVAILABLE);
        }
        return grant.api().allows(operation)
                ? new Decision.Allow<>(new ApiPermit(session, repo, operation, grant))
                : new Decision.Deny<>(Refusal.OPERATION_NOT_ALLOWED);
    }

    private Decision<GitPermit> decide(RepoGrant grant, RepoName repo, GitService service) {
        if (grant.access().compareTo(service.needs()) < 0) {
            return new Decision.Deny<>(Refusal.REPO_READ_ONLY);
        }
        GitPermit permit = new GitPermit(session, repo, service, grant, grant.visible());
        return new Decision.Allow<>(
                switch (service) {
                    case UPLOAD_PACK -> permit;
                    case RECEIVE_PACK -> permit.trustedOnly();
                });
    }

    /// May this one command of a push, already permitted as a push, be carried out?
    public static Optional<Refusal> objection(GitPermit permit, RefUpdate update) {
        PushRules rules = permit.push();
        if (update.isDelete() && !rules.delete()) {
            return Optional.of(Refusal.DELETE_NOT_ALLOWED);
        }
        if (update.ref().isTag()) {
            return rules.tags() && permit.visible().shows(update.ref())
                    ? Optional.empty()
                    : Optional.of(Refusal.TAG_NOT_ALLOWED);
        }
        if (update.ref().isReview()) {
            return Optional.of(Refusal.REVIEW_REF_NOT_ALLOWED);
        }
        if (!permit.visible().shows(update.ref())) {
            return Optional.of(Refusal.REF_NOT_ALLOWED);
        }
        boolean named = rules.branches().stream().anyMatch(p -> p.matches(update.ref()));
        return named ? Optional.empty() : Optional.of(Refusal.REF_NOT_ALLOWED);
    }

    /// May this session connect to this port of this host? Asked by every door but git's. A rule
    /// about single pages of a git host's API leaves the connection to the git host's door, which
    /// asks [#isPage].
    public Decision<EgressPermit> decide(HostName host, int port) {
        boolean forge =
                (port == GIT_PORT && forges.contains(host))
                        || (port == GIT_PLAIN_PORT && gitHosts.contains(host));
        Optional<EgressRule> rule = rule(host, port);
        if (rule.isPresent() && !(forge && SecretHosts.arePages(rule.get()))) {
            return new Decision.Allow<>(permit(host, port, rule.get(), Ground.RULE));
        }
        if (forge) {
            EgressRule forGit = withoutRequests(host, port, Reach.PUBLIC, "git");
            return new Decision.Allow<>(permit(host, port, forGit, Ground.GRANT));
        }
        if (!learns(host)) {
            return new Decision.Deny<>(
                    isNamed(host) ? Refusal.PORT_NOT_ALLOWED : Refusal.NAME_NOT_ALLOWED);
        }
        EgressRule wide = only(host, port, Reach.PUBLIC, Optional.empty(), "learning");
        return new Decision.Allow<>(permit(host, port, wide, Ground.LEARNING));
    }

    private Optional<EgressRule> rule(HostName host, int port) {
        return egress.rules().stream()
                .filter(rule -> rule.host().matches(host) && rule.ports().contains(port))
                .findFirst();
    }

    /// As [#decide], for one request that the door of other hosts got: by the rule, although the
    /// connection may be that of a git host's door.
    public Decision<EgressPermit> decideRequest(HostName host, int port) {
        Optional<EgressRule> rule = rule(host, port);
        return rule.isPresent()
                ? new Decision.Allow<>(permit(host, port, rule.get(), Ground.RULE))
                : decide(host, port);
    }

    /// Whether this is a page of a git host's API that a rule is about, so that the rule decides
    /// which credential it is asked with, and never the git host's.
    public boolean isPage(HostName host, int port, String path) {
        Optional<UrlPath> page = Parsing.attempt(path, UrlPath::parse);
        return page.isPresent()
                && rule(host, port)
                        .filter(SecretHosts::arePages)
                        .flatMap(EgressRule::inspection)
                        .flatMap(Inspection::paths)
                        .filter(paths -> paths.stream().anyMatch(p -> p.matches(page.get())))
                        .isPresent();
    }

    private EgressPermit permit(HostName host, int port, EgressRule rule, Ground ground) {
        return new EgressPermit(session, host, port, rule, ground);
    }

    /// May a login of this session be renewed there?
    public Decision<EgressPermit> decide(TokenEndpoint endpoint) {
        if (!endpoints.contains(endpoint)) {
            return new Decision.Deny<>(Refusal.NAME_NOT_ALLOWED);
        }
        EgressRule rule =
                withoutRequests(endpoint.host(), endpoint.port(), endpoint.reach(), "login");
        return new Decision.Allow<>(permit(endpoint.host(), endpoint.port(), rule, Ground.RENEWAL));
    }

    /// May what was asked for with this permit be fetched from where the API keeps it? The one
    /// redirect that is followed, without a credential and to listed hosts only.
    public Decision<EgressPermit> decide(ApiPermit permit, HostName store) {
        boolean holds =
                decide(permit.repo(), permit.operation())
                                instanceof Decision.Allow<ApiPermit>(ApiPermit present)
                        && present.isLike(permit);
        if (!holds
                || permit.operation().isWrite()
                || !ApiHost.of(permit.rules().forge(), permit.host()).keepsFilesAt(store)) {
            return new Decision.Deny<>(Refusal.NAME_NOT_ALLOWED);
        }
        EgressRule rule = withoutRequests(store, GIT_PORT, Reach.PUBLIC, "download");
        return new Decision.Allow<>(permit(store, GIT_PORT, rule, Ground.DOWNLOAD));
    }

    /// May tokens be asked for at the API of a git host, for this session? Only where it has
    /// repositories, and by nobody in a sandbox: the rule allows no request.
    ///
    /// @param git the git host
    /// @param reach how it and its API are reached
    public Decision<EgressPermit> decideMinting(HostName git, Reach reach) {
        if (!gitHosts.contains(git)) {
            return new Decision.Deny<>(Refusal.NAME_NOT_ALLOWED);
        }
        HostName api = ApiHost.of(git).name();
        EgressRule rule =
                only(
                        api,
                        GIT_PORT,
                        reach,
                        Optional.of(Inspection.nothingWith(Optional.of(MINTING))),
                        "github-app");
        return new Decision.Allow<>(permit(api, GIT_PORT, rule, Ground.MINTING));
    }

    /// May the API of the cluster that a person configured be asked about its pods? By nobody in a
    /// sandbox: the rule allows no request.
    public EgressPermit decideReview(HostName api, int port, Reach reach) {
        EgressRule rule =
                only(
                        api,
                        port,
                        reach,
                        Optional.of(Inspection.nothingWith(Optional.of(REVIEWING))),
                        "kubernetes");
        return permit(api, port, rule, Ground.REVIEW);
    }

    /// For what is asked in another way than through the door of other hosts, where this rule
    /// allows no request at all: TLS to a git host ends at the gateway, and the git door serves
    /// what is inside; a login is renewed, and a log fetched from its store, by the gateway itself.
    private static EgressRule withoutRequests(HostName host, int port, Reach reach, String origin) {
        return only(host, port, reach, Optional.of(Inspection.NOTHING), origin);
    }

    /// One port of one host.
    private static EgressRule only(
            HostName host, int port, Reach reach, Optional<Inspection> inspection, String origin) {
        return new EgressRule(
                new HostPattern(HostPattern.Breadth.EXACT, host),
                new TreeSet<>(Set.of(port)),
                reach,
                inspection,
                origin);
    }

    /// Learning never widens git: a git host, and what is below its name, such as its API, is
    /// reached as its grants say, or by a rule. Nor does it open what a rule closes by having no
    /// ports.
    private boolean learns(HostName host) {
        return egress.learn()
                && gitHosts.stream().noneMatch(git -> isAtOrBelow(host, git))
                && egress.rules().stream()
                        .noneMatch(rule -> rule.ports().isEmpty() && rule.host().matches(host));
    }

    private static boolean isAtOrBelow(HostName host, HostName git) {
        return new HostPattern(HostPattern.Breadth.DOMAIN, git).matches(host);
    }

    private boolean isNamed(HostName host) {
        return egress.rules().stream().anyMatch(rule -> rule.host().matches(host));
    }

    /// Whether a name is to resolve: some door has something to say about it.
    public boolean resolves(HostName host) {
        return isNamed(host) || learns(host) || forges.contains(host);
    }

    /// May this one request go out on a connection that was already permitted and can be read,
    /// because it is inspected or in the clear? Its form is judged by whoever has its head.
    public static Optional<Refusal> objection(EgressPermit permit, WebRequest request) {
        return rules(permit).to(request);
    }

    /// All that [#objection] could name.
    public static List<Refusal> objections(EgressPermit permit, WebRequest request) {
        return rules(permit).all(request);
    }

    private static WebRules rules(EgressPermit permit) {
        return permit.inspection().map(WebRules::new).orElse(WebRules.STANDARD_OBJECTIONS);
    }

    /// What stands against a request whatever the rules say, in a session that learns, too.
    public static Optional<Refusal> standingObjection(WebRequest request) {
        return WebRules.standing(request);
    }

    public Egress egress() {
        return egress;
    }

    /// The names that stand in the policy as such, without wildcards.
    public SortedSet<HostName> hosts() {
        SortedSet<HostName> hosts = new TreeSet<>(forges);
        for (EgressRule rule : egress.rules()) {
            if (!rule.host().isWildcard()) {
                hosts.add(rule.host().name());
            }
        }
        return hosts;
    }

    /// The hosts whose TLS may end at the gateway; of wildcards the domain.
    public SortedSet<HostName> inspectedHosts() {
        SortedSet<HostName> hosts = new TreeSet<>(forges);
        egress.rules().stream()
                .filter(rule -> rule.inspection().isPresent())
                .forEach(rule -> hosts.add(rule.host().name()));
        return hosts;
    }

    /// The git hosts that this session may know exist.
    public SortedSet<HostName> gitHosts() {
        return gitHosts;
    }

    /// Those whose API is granted, each with whose API it speaks.
    public SortedMap<HostName, Forge> apis() {
        return apis;
    }

    /// Whose API this git host speaks, if it is granted.
    public Forge forge(HostName git) {
        return apis.getOrDefault(git, Forge.GITHUB);
    }

    public List<RepoGrant> grants() {
        return grants;
    }

    /// SHA-256 over the canonical text of all rules; the same rules have the same digest in every
    /// session.
    public String digest() {
        return digest;
    }
}
