package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PolicyTest {
    private static final SessionId SESSION = new SessionId("0123456789abcdef");
    private static final ObjectName SOME = new ObjectName("1".repeat(40));
    private static final ObjectName OTHER = new ObjectName("2".repeat(40));

    private static RepoGrant grant(String repo, Access access) throws MalformedNameException {
        return new RepoGrant(
                RepoPattern.parse(repo), access, RefVisibility.all(), PushRules.standard());
    }

    private static Decision<GitPermit> ask(Policy policy, String repo, GitService service)
            throws MalformedNameException {
        return policy.decide(RepoName.parse(repo), service);
    }

    private static void denied(Policy policy, String repo, GitService service)
            throws MalformedNameException {
        assertThat(ask(policy, repo, service))
                .isEqualTo(new Decision.Deny<>(Refusal.REPO_UNAVAILABLE));
    }

    private static void readOnly(Policy policy, String repo) throws MalformedNameException {
        assertThat(ask(policy, repo, GitService.RECEIVE_PACK))
                .isEqualTo(new Decision.Deny<>(Refusal.REPO_READ_ONLY));
    }

    private static GitPermit allowed(Policy policy, String repo, GitService service)
            throws MalformedNameException {
        return switch (ask(policy, repo, service)) {
            case Decision.Allow(var permit) -> permit;
            case Decision.Deny(var refusal) -> throw new AssertionError("denied: " + refusal);
        };
    }

    /// G20 and E1. Every connection, name and request asks for them.
    @Test
    void findsOutOnceWhichHostsItHas() throws MalformedNameException {
        RepoGrant api =
                grant("github.com/acme/app", Access.WRITE).withApi(ApiRules.standard(Access.WRITE));
        Policy policy = new Policy(SESSION, List.of(grant("git.example/a/b", Access.READ), api));

        assertThat(policy.gitHosts())
                .containsExactly(new HostName("git.example"), new HostName("github.com"))
                .isSameAs(policy.gitHosts())
                .isUnmodifiable();
        assertThat(policy.apis())
                .containsOnly(Map.entry(new HostName("github.com"), Forge.GITHUB))
                .isSameAs(policy.apis())
                .isUnmodifiable();
        assertThat(policy.inspectedHosts())
                .containsExactly(
                        new HostName("api.github.com"),
                        new HostName("git.example"),
                        new HostName("github.com"));
    }

    @Test
    void allowsNothingWhenEmpty() throws MalformedNameException {
        Policy empty = new Policy(SESSION, List.of());
        for (GitService service : GitService.values()) {
            denied(empty, "github.com/acme/app", service);
        }
        assertThat(empty.hosts()).isEmpty();
    }

    @Test
    void allowsNoBranchWhenTheListIsEmpty() throws MalformedNameException {
        PushRules none = new PushRules(List.of(), false, true, false, 1, ContentRules.standard());
        RepoGrant grant =
                new RepoGrant(
                        RepoPattern.parse("github.com/acme/app"),
                        Access.WRITE,
                        RefVisibility.all(),
                        none);
        Policy policy = new Policy(SESSION, List.of(grant));
        GitPermit permit = allowed(policy, "github.com/acme/app", GitService.RECEIVE_PACK);
        assertThat(objection(permit, "refs/heads/main", SOME)).contains(Refusal.REF_NOT_ALLOWED);
        assertThat(objection(permit, "refs/heads/agent/x", SOME)).contains(Refusal.REF_NOT_ALLOWED);
        assertThat(objection(permit, "refs/tags/v1", SOME)).contains(Refusal.TAG_NOT_ALLOWED);
    }

    private static Decision<ApiPermit> ask(Policy policy, String repo, ApiOperation operation)
            throws MalformedNameException {
        return policy.decide(RepoName.parse(repo), operation);
    }

    /// G16: the grant that decides about pushes decides about the API, and the branches that can be
    /// pushed are those that can be proposed.
    @Test
    void g16_theApiFollowsTheGrantOfGit() throws MalformedNameException {
        RepoGrant app =
                grant("github.com/Acme/App", Access.WRITE).withApi(ApiRules.standard(Access.WRITE));
        RepoGrant rest = grant("github.com/acme/*", Access.READ);
        Policy policy = new Policy(SESSION, List.of(app, rest));

        ApiPermit permit =
                switch (ask(policy, "github.com/acme/APP", ApiOperation.PULL_OPEN)) {
                    case Decision.Allow<ApiPermit>(ApiPermit allowed) -> allowed;
                    case Decision.Deny<ApiPermit>(Refusal refusal) ->
                            throw new AssertionError(refusal);
                };
        assertThat(permit.repo().owner()).isEqualTo("Acme");
        assertThat(permit.mayPush(new RefName("refs/heads/agent/fix"))).isTrue();
        assertThat(permit.mayPush(new RefName("refs/heads/main"))).isFalse();
        assertThat(permit.mayPush(new RefName("refs/tags/agent/fix"))).isFalse();

        assertThat(ask(policy, "github.com/acme/app", ApiOperation.RERUN))
                .isEqualTo(new Decision.Deny<>(Refusal.OPERATION_NOT_ALLOWED));
        for (String repo : List.of("github.com/acme/other", "github.com/b/c")) {
            for (ApiOperation operation : ApiOperation.values()) {
                assertThat(ask(policy, repo, operation))
                        .isEqualTo(new Decision.Deny<>(Refusal.REPO_UNAVAILABLE));
            }
        }
        assertThat(policy.hosts()).contains(new HostName("api.github.com"));
        assertThat(new Policy(SESSION, List.of(rest)).hosts())
                .doesNotContain(new HostName("api.github.com"));
    }

    /// What an API would show includes what `refs-visible` hides.
    @Test
    void aGrantThatHidesRefsHasNoApi() throws MalformedNameException {
        RepoGrant some =
                seeing(RefVisibility.of(List.of(RefPattern.parseFull("refs/heads/main"))))
                        .getFirst()
                        .withApi(ApiRules.standard(Access.WRITE));
        assertThat(some.api()).isEqualTo(ApiRules.NONE);
        RepoGrant app = grant("github.com/acme/app", Access.WRITE);
        assertDifferent(
                List.of(
                        List.of(app),
                        List.of(app.withApi(ApiRules.standard(Access.READ))),
                        List.of(app.withApi(ApiRules.standard(Access.WRITE)))));
    }

    @Test
    void readDoesNotIncludeWrite() throws MalformedNameException {
        Policy policy = new Policy(SESSION, List.of(grant("github.com/acme/app", Access.READ)));
        allowed(policy, "github.com/acme/app", GitService.UPLOAD_PACK);
        readOnly(policy, "github.com/acme/app");
    }

    @Test
    void writeIncludesRead() throws MalformedNameException {
        Policy policy = new Policy(SESSION, List.of(grant("github.com/acme/app", Access.WRITE)));
        allowed(policy, "github.com/acme/app", GitService.UPLOAD_PACK);
        allowed(policy, "github.com/acme/app", GitService.RECEIVE_PACK);
    }

    @Test
    void ignoresCaseButSendsTheGrantedSpelling() throws MalformedNameException {
        Policy policy = new Policy(SESSION, List.of(grant("github.com/Acme/App", Access.READ)));
        GitPermit permit = allowed(policy, "github.com/aCME/aPP", GitService.UPLOAD_PACK);
        assertThat(permit.repo().owner()).isEqualTo("Acme");
        assertThat(permit.repo().name()).isEqualTo("App");
        assertThat(permit.session()).isEqualTo(SESSION);
        assertThat(permit.service()).isEqualTo(GitService.UPLOAD_PACK);
        assertThat(permit.host()).hasToString("github.com");
    }

    @Test
    void deniesNeighboursOfWhatIsGranted() throws MalformedNameException {
        Policy policy = new Policy(SESSION, List.of(grant("github.com/acme/app", Access.WRITE)));
        for (String other :
                List.of(
                        "github.com/acme/app2",
                        "github.com/acme/ap",
                        "github.com/acme/app.wiki",
                        "github.com/acme2/app",
                        "github.com/app/acme",
                        "gitlab.com/acme/app",
                        "github.com.evil.example/acme/app",
                        "api.github.com/acme/app")) {
            denied(policy, other, GitService.UPLOAD_PACK);
            denied(policy, other, GitService.RECEIVE_PACK);
        }
    }

    @Test
    void takesTheFirstGrantThatCoversTheRepository() throws MalformedNameException {
        PushRules main =
                new PushRules(
                        List.of(RefPattern.parse("main")),
                        false,
                        false,
                        false,
                        7,
                        ContentRules.standard());
        Policy policy =
                new Policy(
                        SESSION,
                        List.of(
                                new RepoGrant(
                                        RepoPattern.parse("github.com/acme/app"),
                                        Access.WRITE,
                                        RefVisibility.all(),
                                        main),
                                grant("github.com/acme/*", Access.READ)));
        assertThat(allowed(policy, "github.com/acme/app", GitService.RECEIVE_PACK).push())
                .isEqualTo(main);
        allowed(policy, "github.com/acme/other", GitService.UPLOAD_PACK);
        readOnly(policy, "github.com/acme/other");
    }

    @Test
    void aWiderGrantThatComesLaterAddsNothing() throws MalformedNameException {
        RefVisibility nothing = RefVisibility.of(List.of());
        Policy policy =
                new Policy(
                        SESSION,
                        List.of(
                                new RepoGrant(
                                        RepoPattern.parse("github.com/acme/app"),
                                        Access.READ,
                                        nothing,
                                        PushRules.none()),
                                grant("github.com/acme/*", Access.WRITE)));
        readOnly(policy, "github.com/ACME/App");
        assertThat(allowed(policy, "github.com/acme/app", GitService.UPLOAD_PACK).visible())
                .isEqualTo(nothing);
        allowed(policy, "github.com/acme/other", GitService.RECEIVE_PACK);
    }

    @Test
    void isNotChangedByTheListItWasMadeFrom() throws MalformedNameException {
        List<RepoGrant> grants = new ArrayList<>();
        Policy policy = new Policy(SESSION, grants);
        grants.add(grant("github.com/acme/app", Access.WRITE));
        denied(policy, "github.com/acme/app", GitService.UPLOAD_PACK);
    }

    private static Optional<Refusal> objection(GitPermit permit, String ref, ObjectName after)
            throws MalformedNameException {
        return Policy.objection(permit, new RefUpdate(RefName.parse(ref), OTHER, after));
    }

    @Test
    void letsAStandardGrantPushAgentBranchesOnly() throws MalformedNameException {
        Policy policy = new Policy(SESSION, List.of(grant("github.com/acme/app", Access.WRITE)));
        GitPermit permit = allowed(policy, "github.com/acme/app", GitService.RECEIVE_PACK);
        assertThat(objection(permit, "refs/heads/agent/x", SOME)).isEmpty();
        assertThat(objection(permit, "refs/heads/agent/x/y", SOME)).isEmpty();
        for (String ref :
                List.of(
                        "refs/heads/main",
                        "refs/heads/Agent/x",
                        "refs/heads/agent",
                        "refs/notes/agent/x",
                        "refs/replace/agent/x",
                        "refs/pull/agent/x",
                        "refs/remotes/agent/x")) {
            assertThat(objection(permit, ref, SOME)).as(ref).contains(Refusal.REF_NOT_ALLOWED);
        }
        assertThat(objection(permit, "refs/tags/agent/x", SOME)).contains(Refusal.TAG_NOT_ALLOWED);
        assertThat(objection(permit, "refs/heads/agent/x", ObjectName.ZERO))
                .contains(Refusal.DELETE_NOT_ALLOWED);
    }

    @Test
    void needsBothRightsToDeleteATag() throws MalformedNameException {
        for (boolean delete : new boolean[] {false, true}) {
            for (boolean tags : new boolean[] {false, true}) {
                PushRules rules =
                        new PushRules(List.of(), false, delete, tags, 1, ContentRules.standard());
                RepoPattern repo = RepoPattern.parse("github.com/acme/app");
                Policy policy =
                        new Policy(
                                SESSION,
                                List.of(
                                        new RepoGrant(
                                                repo, Access.WRITE, RefVisibility.all(), rules)));
                GitPermit permit = allowed(policy, "github.com/acme/app", GitService.RECEIVE_PACK);
                assertThat(objection(permit, "refs/tags/v1", ObjectName.ZERO).isEmpty())
                        .isEqualTo(delete && tags);
            }
        }
    }

    @Test
    void keepsItsDigestAcrossVersions() throws MalformedNameException {
        Policy policy = new Policy(SESSION, List.of(grant("github.com/acme/app", Access.WRITE)));
        assertThat(policy.digest())
                .isEqualTo("a129464200113f8210b56fdbf5eea54eea8ba85ab2fa342e0c6e2f78c0848206");
        assertThat(new Policy(new SessionId("f".repeat(16)), policy.grants()).digest())
                .isEqualTo(policy.digest());
    }

    @Test
    void hasAnotherDigestForAnyOtherRules() throws MalformedNameException {
        List<RefPattern> agent = List.of(RefPattern.parse("agent/**"));
        List<RefPattern> two = List.of(RefPattern.parse("a"), RefPattern.parse("b"));
        List<RefPattern> comma = List.of(RefPattern.parse("a,b"));
        List<RefPattern> changes = List.of(RefPattern.parseFull("refs/changes/**"));
        List<RefPattern> notes = List.of(RefPattern.parseFull("refs/notes/**"));
        ContentRules content = ContentRules.standard();
        List<List<RepoGrant>> all =
                List.of(
                        List.of(),
                        List.of(grant("github.com/acme/app", Access.READ)),
                        List.of(grant("github.com/acme/app", Access.WRITE)),
                        List.of(grant("github.com/acme/*", Access.WRITE)),
                        writing(new PushRules(agent, true, false, false, 9, content)),
                        writing(new PushRules(agent, false, true, false, 9, content)),
                        writing(new PushRules(agent, false, false, true, 9, content)),
                        writing(new PushRules(agent, false, false, false, 9, content)),
                        writing(new PushRules(two, false, false, false, 9, content)),
                        writing(new PushRules(comma, false, false, false, 9, content)),
                        writing(new PushRules(agent, false, false, false, 8, content)),
                        writing(new PushRules(agent, false, false, false, 9, content, changes)),
                        writing(new PushRules(agent, false, false, false, 9, content, notes)));
        assertDifferent(all);
    }

    /// G20: absent and empty are different rules.
    @Test
    void hasAnotherDigestForAnyOtherContentOrVisibility() throws MalformedNameException {
        List<PathPattern> src = List.of(PathPattern.parse("src/**"));
        List<AddressPattern> bots = List.of(AddressPattern.parse("*@bots.example"));
        Optional<List<PathPattern>> allPaths = Optional.empty();
        Optional<List<AddressPattern>> anybody = Optional.empty();
        SecretScan deny = SecretScan.DENY;
        List<RefPattern> main = List.of(RefPattern.parseFull("refs/heads/main"));
        assertDifferent(
                List.of(
                        holding(new ContentRules(List.of(), allPaths, 1, 1, deny, anybody)),
                        holding(new ContentRules(src, allPaths, 1, 1, deny, anybody)),
                        holding(
                                new ContentRules(
                                        List.of(), Optional.of(List.of()), 1, 1, deny, anybody)),
                        holding(new ContentRules(List.of(), Optional.of(src), 1, 1, deny, anybody)),
                        holding(new ContentRules(List.of(), allPaths, 2, 1, deny, anybody)),
                        holding(new ContentRules(List.of(), allPaths, 1, 2, deny, anybody)),
                        holding(
                                new ContentRules(
                                        List.of(), allPaths, 1, 1, SecretScan.OFF, anybody)),
                        holding(
                                new ContentRules(
                                        List.of(), allPaths, 1, 1, deny, Optional.of(List.of()))),
                        holding(
                                new ContentRules(
                                        List.of(), allPaths, 1, 1, deny, Optional.of(bots))),
                        seeing(RefVisibility.all()),
                        seeing(RefVisibility.of(List.of())),
                        seeing(RefVisibility.of(main))));
    }

    private static List<RepoGrant> holding(ContentRules content) throws MalformedNameException {
        return writing(new PushRules(List.of(), false, false, false, 9, content));
    }

    private static List<RepoGrant> seeing(RefVisibility visible) throws MalformedNameException {
        RepoPattern repo = RepoPattern.parse("github.com/acme/app");
        return List.of(new RepoGrant(repo, Access.WRITE, visible, PushRules.standard()));
    }

    private static void assertDifferent(List<List<RepoGrant>> all) {
        assertThat(all.stream().map(grants -> new Policy(SESSION, grants).digest()).distinct())
                .hasSize(all.size());
    }

    private static List<RepoGrant> writing(PushRules rules) throws MalformedNameException {
        RepoPattern repo = RepoPattern.parse("github.com/acme/app");
        return List.of(new RepoGrant(repo, Access.WRITE, RefVisibility.all(), rules));
    }

    @Test
    void refusesIdsInAnyOtherForm() {
        for (String bad :
                List.of("", "0".repeat(39), "0".repeat(41), "A".repeat(40), "0".repeat(64))) {
            assertThatIllegalArgumentException().isThrownBy(() -> new ObjectName(bad));
        }
        for (String bad :
                List.of("", "0".repeat(15), "0".repeat(17), "F".repeat(16), "../../etc/passwd")) {
            assertThatIllegalArgumentException().isThrownBy(() -> new SessionId(bad));
        }
        assertThat(SessionId.random()).isNotEqualTo(SessionId.random());
    }
}
