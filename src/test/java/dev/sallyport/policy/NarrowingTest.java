package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What is left of rights under other rules: never more than either allows.
class NarrowingTest {
    private static final SessionId SESSION = new SessionId("0".repeat(16));
    private static final Inspection ALL = WebRules.STANDARD_OBJECTIONS.inspection();

    private static EgressRule rule(String host, Set<Integer> ports, Optional<Inspection> inspected)
            throws MalformedNameException {
        return new EgressRule(
                HostPattern.parse(host), new TreeSet<>(ports), Reach.PUBLIC, inspected, "test");
    }

    private static EgressRule tunnel(String host) throws MalformedNameException {
        return rule(host, Set.of(80, 443), Optional.empty());
    }

    private static EgressRule paths(String host, String... paths) throws MalformedNameException {
        List<UrlPattern> patterns = new ArrayList<>();
        for (String path : paths) {
            patterns.add(UrlPattern.parse(path));
        }
        return rule(host, Set.of(443), Optional.of(ALL.withPaths(patterns)));
    }

    private static EgressRule injecting(String host, String secret) throws MalformedNameException {
        Inspection inspection =
                new Inspection(
                        ALL.methods(),
                        ALL.paths(),
                        List.of(),
                        Optional.empty(),
                        JsonRules.NONE,
                        false,
                        List.of(),
                        Optional.of(
                                new Injection(
                                        secret, new Injection.Place.Bearer(), Optional.empty())),
                        false);
        return rule(host, Set.of(443), Optional.of(inspection));
    }

    private static Egress of(EgressRule... rules) {
        return new Egress(List.of(rules), false);
    }

    private static boolean allows(Egress egress, String host, int port, String path)
            throws MalformedNameException {
        WebRequest request =
                new WebRequest("GET", UrlPath.parse(path), Optional.empty(), Optional.of(0L));
        return new Policy(SESSION, List.of(), egress).decide(new HostName(host), port)
                        instanceof Decision.Allow<EgressPermit>(EgressPermit permit)
                && Policy.objection(permit, request).isEmpty();
    }

    @Test
    void theSameRulesChangeNothing() throws Exception {
        Egress rules =
                of(
                        paths("api.example.com", "/v1/**"),
                        tunnel("*.example.com"),
                        injecting("key.k.example", "key"),
                        tunnel("**.example.org"));
        assertThat(Narrowing.of(rules, rules)).isEqualTo(rules);
    }

    @Test
    void whatTheOtherRulesDoNotNameIsLost() throws Exception {
        Egress left =
                Narrowing.of(of(tunnel("a.example"), tunnel("b.example")), of(tunnel("b.example")));
        assertThat(left.rules()).containsExactly(tunnel("b.example"));
        assertThat(Narrowing.of(of(tunnel("a.example")), Egress.NONE).rules()).isEmpty();
        assertThat(Narrowing.of(Egress.NONE, of(tunnel("a.example"))).rules()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "**.example.com, *.example.com, *.example.com",
        "*.example.com, a.example.com, a.example.com",
        "**.a.example.com, *.example.com, a.example.com",
        "**.b.a.example.com, *.example.com, ",
        "*.a.example, *.b.example, ",
    })
    void hostsHaveAPatternInCommonOrNone(String one, String other, String both) throws Exception {
        Optional<String> expected = Optional.ofNullable(both);
        HostPattern first = HostPattern.parse(one);
        HostPattern second = HostPattern.parse(other);
        assertThat(Overlap.of(first, second).map(HostPattern::toString)).isEqualTo(expected);
        assertThat(Overlap.of(second, first).map(HostPattern::toString)).isEqualTo(expected);
    }

    @Test
    void anotherSecretOrNoneClosesTheHostAndALaterRuleDoesNotOpenIt() throws Exception {
        Egress had = of(injecting("key.k.example", "old"), tunnel("**.k.example"));
        for (Egress gets :
                List.of(
                        of(injecting("key.k.example", "new"), tunnel("**.k.example")),
                        of(
                                rule("key.k.example", Set.of(443), Optional.of(ALL)),
                                tunnel("**.k.example")))) {
            Egress left = Narrowing.of(had, gets);
            assertThat(allows(left, "key.k.example", 443, "/")).isFalse();
            assertThat(allows(left, "other.k.example", 443, "/")).isTrue();
            assertThat(left.rules())
                    .noneMatch(r -> r.inspection().flatMap(Inspection::injection).isPresent());
        }
        assertThat(
                        allows(
                                Narrowing.of(of(tunnel("key.k.example")), had),
                                "key.k.example",
                                443,
                                "/"))
                .isFalse();
    }

    @Test
    void aQuestionIsAddedAndNeverTakenAway() throws Exception {
        Egress asks = of(tunnel("a.example").asking("test"));
        for (Egress left :
                List.of(
                        Narrowing.of(asks, of(tunnel("a.example"))),
                        Narrowing.of(of(tunnel("a.example")), asks),
                        Narrowing.of(asks, of(rule("a.example", Set.of(443), Optional.of(ALL)))))) {
            assertThat(left.rules()).hasSize(1).allMatch(EgressRule::ask);
        }
        assertThat(Narrowing.of(asks, asks)).isEqualTo(asks);
    }

    @Test
    void anotherWayToReachAHostIsAnotherRight() throws Exception {
        Reach dialled = new Reach(true, Optional.of("127.0.0.1:1"), Optional.empty());
        EgressRule other =
                new EgressRule(
                        HostPattern.parse("a.example"),
                        EgressRule.PORTS,
                        dialled,
                        Optional.empty(),
                        "test");
        assertThat(allows(Narrowing.of(of(tunnel("a.example")), of(other)), "a.example", 443, "/"))
                .isFalse();
        assertThat(Narrowing.of(of(other), of(other))).isEqualTo(of(other));
    }

    @ParameterizedTest
    @CsvSource({
        "a/**, a/b/**, true",
        "a/**, a/b, true",
        "a/**, a/*, true",
        "a/*, a/**, false",
        "a/*/c, a/**, false",
        "*, **, false",
        "a*, ab*, true",
        "ab*, a*, false",
        "**/x, a/**/x, false",
    })
    void aGlobCoversAnotherOnlyWhenThatIsSure(String wide, String narrow, boolean covers) {
        assertThat(Overlap.covers(wide, narrow, 0)).isEqualTo(covers);
    }

    @Test
    void aRefPatternForBelowDoesNotCoverTheNameItself() {
        assertThat(Overlap.covers("agent/**", "agent/x/**", 1)).isTrue();
        assertThat(Overlap.covers("agent/**", "agent", 1)).isFalse();
        assertThat(Overlap.covers("**/**", "agent/**", 1)).isTrue();
        assertThat(Overlap.covers("agent/*/**", "agent/**", 1)).isFalse();
    }

    @Test
    void learningIsClosedWhereEitherHasARule() throws Exception {
        Egress had = new Egress(List.of(paths("a.example", "/x")), true);
        Egress gets =
                new Egress(
                        List.of(
                                paths("b.example", "/y"),
                                rule("git.example", Set.of(), Optional.empty())),
                        true);
        Egress left = Narrowing.of(had, gets);
        assertThat(left.learn()).isTrue();
        assertThat(allows(left, "a.example", 443, "/x")).isTrue();
        assertThat(allows(left, "a.example", 443, "/y")).isFalse();
        assertThat(allows(left, "b.example", 443, "/y")).isTrue();
        assertThat(allows(left, "b.example", 443, "/x")).isFalse();
        assertThat(allows(left, "git.example", 443, "/")).isFalse();
        assertThat(allows(left, "c.example", 443, "/")).isTrue();
        assertThat(Narrowing.of(had, new Egress(List.of(), false)).learn()).isFalse();
    }

    /// Against the definition itself, for rules and requests made up at random.
    @Test
    void neverAllowsWhatOneOfTheTwoDoesNot() throws Exception {
        Random random = new Random(21);
        List<String> hosts =
                List.of(
                        "a.x.k.example",
                        "*.x.k.example",
                        "**.x.k.example",
                        "**.k.example",
                        "x.k.example");
        List<String> patterns = List.of("/**", "/v1/**", "/v1/*", "/v1/a", "/*/a", "/v1/*/b");
        List<String> names =
                List.of("a.x.k.example", "b.x.k.example", "x.k.example", "b.a.x.k.example");
        List<String> urls = List.of("/v1/a", "/v1/b", "/v2/a", "/v1/a/b", "/");
        int allowed = 0;
        for (int round = 0; round < 3_000; round++) {
            Egress one = random(random, hosts, patterns);
            Egress other = random(random, hosts, patterns);
            Egress both = Narrowing.of(one, other);
            for (String name : names) {
                for (String url : urls) {
                    if (allows(both, name, 443, url)) {
                        allowed++;
                        assertThat(allows(one, name, 443, url)).as("%s %s", one, name).isTrue();
                        assertThat(allows(other, name, 443, url)).as("%s", other).isTrue();
                    }
                }
            }
        }
        assertThat(allowed).isGreaterThan(1_000);
    }

    private static Egress random(Random random, List<String> hosts, List<String> patterns)
            throws MalformedNameException {
        List<EgressRule> rules = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            String host = hosts.get(random.nextInt(hosts.size()));
            rules.add(
                    random.nextInt(3) == 0
                            ? tunnel(host)
                            : paths(
                                    host,
                                    patterns.get(random.nextInt(patterns.size())),
                                    patterns.get(random.nextInt(patterns.size()))));
        }
        return new Egress(rules, false);
    }

    @Test
    void grantsKeepWhatBothAllow() throws Exception {
        RepoGrant had = grant("github.com/acme/*", Access.WRITE, "agent/**", "fix-*");
        RepoGrant gets = grant("github.com/acme/app", Access.WRITE, "agent/x/**", "main");
        List<RepoGrant> left = Narrowing.of(List.of(had), List.of(gets));
        assertThat(left).hasSize(1);
        assertThat(left.getFirst().repo().text()).isEqualTo("github.com/acme/app");
        assertThat(left.getFirst().push().branches())
                .containsExactly(RefPattern.parse("agent/x/**"));

        RepoGrant read = grant("github.com/acme/app", Access.READ);
        assertThat(Narrowing.of(List.of(had), List.of(read)).getFirst().access())
                .isEqualTo(Access.READ);
        assertThat(Narrowing.of(List.of(read), List.of(had)).getFirst().access())
                .isEqualTo(Access.READ);
        assertThat(Narrowing.of(List.of(had), List.of(grant("github.com/b/c", Access.READ))))
                .isEmpty();
    }

    /// Above all, text commands and reviewers that one of them does not have are lost.
    @Test
    void g16_anApiKeepsWhatBothAllow() throws Exception {
        ApiRules has =
                new ApiRules(
                        ApiLevel.READ,
                        ApiLevel.OFF,
                        ApiLevel.WRITE,
                        ApiLevel.WRITE,
                        true,
                        List.of("a", "b"),
                        true);
        ApiRules gets =
                new ApiRules(
                        ApiLevel.OFF,
                        ApiLevel.READ,
                        ApiLevel.READ,
                        ApiLevel.WRITE,
                        false,
                        List.of("B", "c"),
                        false);
        RepoGrant grant = grant("github.com/acme/app", Access.WRITE, "agent/**");
        ApiRules both =
                new ApiRules(
                        ApiLevel.OFF,
                        ApiLevel.OFF,
                        ApiLevel.READ,
                        ApiLevel.WRITE,
                        false,
                        List.of("b"),
                        false);
        assertThat(api(grant.withApi(has), grant.withApi(gets))).isEqualTo(both);
        assertThat(api(grant.withApi(gets), grant.withApi(has))).isEqualTo(both);
        assertThat(api(grant.withApi(has), grant)).isEqualTo(ApiRules.NONE);
        assertThat(api(grant, grant.withApi(has))).isEqualTo(ApiRules.NONE);

        RepoGrant read = grant("github.com/acme/app", Access.READ).withApi(has);
        assertThat(api(grant.withApi(has), read).pulls()).isEqualTo(ApiLevel.READ);
    }

    private static ApiRules api(RepoGrant has, RepoGrant gets) {
        return Narrowing.of(List.of(has), List.of(gets)).getFirst().api();
    }

    @Test
    void grantsOfOneRepositoryStayBeforeThoseOfItsOwner() throws Exception {
        RepoGrant one = grant("github.com/acme/app", Access.READ);
        RepoGrant all = grant("github.com/acme/*", Access.WRITE, "agent/**");
        assertThat(Narrowing.of(List.of(one, all), List.of(one, all))).isEqualTo(List.of(one, all));
        assertThat(Narrowing.of(List.of(all), List.of(one, all)))
                .extracting(g -> g.repo().text() + ":" + g.access().label())
                .containsExactly("github.com/acme/app:read", "github.com/acme/*:write");
    }

    @Test
    void theStricterOfTwoPushRulesHolds() throws Exception {
        ContentRules strict =
                new ContentRules(
                        List.of(PathPattern.of("a/**")),
                        Optional.of(List.of(PathPattern.of("src/**"))),
                        10,
                        5,
                        SecretScan.DENY,
                        Optional.of(List.of(AddressPattern.parse("*@bots.example"))));
        ContentRules loose =
                new ContentRules(
                        List.of(PathPattern.of("b/**")),
                        Optional.of(List.of(PathPattern.of("src/x/**"), PathPattern.of("doc/**"))),
                        20,
                        4,
                        SecretScan.OFF,
                        Optional.empty());
        RepoPattern repo = RepoPattern.parse("github.com/acme/app");
        RepoGrant had = withContent(repo, strict, true);
        RepoGrant gets = withContent(repo, loose, false);
        PushRules left = Narrowing.of(List.of(had), List.of(gets)).getFirst().push();
        assertThat(left.force()).isFalse();
        assertThat(left.content())
                .isEqualTo(
                        new ContentRules(
                                List.of(PathPattern.of("a/**"), PathPattern.of("b/**")),
                                Optional.of(List.of(PathPattern.of("src/x/**"))),
                                10,
                                4,
                                SecretScan.DENY,
                                strict.authors()));
    }

    /// Whoever reads a body can follow only so many.
    @Test
    void moreRulesAboutJsonThanCanBeFollowedLeaveNothing() throws Exception {
        EgressRule one = json("a", 40);
        assertThat(allows(Narrowing.of(of(one), of(json("a", 41))), "j.example", 443, "/"))
                .isTrue();
        assertThat(allows(Narrowing.of(of(one), of(json("b", 40))), "j.example", 443, "/"))
                .isFalse();
    }

    private static EgressRule json(String name, int count) throws MalformedNameException {
        List<String> denied = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            denied.add(name + i + "[].x");
        }
        Inspection inspection = ALL.withJson(JsonRules.parse(denied, List.of(), List.of()));
        return rule("j.example", Set.of(443), Optional.of(inspection));
    }

    private static RepoGrant withContent(RepoPattern repo, ContentRules content, boolean force)
            throws MalformedNameException {
        return new RepoGrant(
                repo,
                Access.WRITE,
                RefVisibility.all(),
                new PushRules(
                        List.of(RefPattern.parse("agent/**")),
                        force,
                        false,
                        false,
                        1_024,
                        content));
    }

    private static RepoGrant grant(String repo, Access access, String... branches)
            throws MalformedNameException {
        List<RefPattern> patterns = new ArrayList<>();
        for (String branch : branches) {
            patterns.add(RefPattern.parse(branch));
        }
        PushRules standard = PushRules.standard();
        return new RepoGrant(
                RepoPattern.parse(repo),
                access,
                RefVisibility.all(),
                access == Access.READ
                        ? PushRules.none()
                        : new PushRules(patterns, false, false, false, 1_024, standard.content()));
    }
}
