package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class EgressPolicyTest {
    private static final SessionId SESSION = new SessionId("0123456789abcdef");
    private static final Inspection PLAIN =
            new Inspection(
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    Optional.empty(),
                    JsonRules.NONE,
                    false,
                    List.of(),
                    Optional.empty(),
                    false);

    private static EgressRule rule(String host, int... ports) throws MalformedNameException {
        SortedSet<Integer> set = new TreeSet<>();
        for (int port : ports) {
            set.add(port);
        }
        return new EgressRule(HostPattern.parse(host), set, Reach.PUBLIC, Optional.empty(), host);
    }

    private static Policy policy(boolean learn, EgressRule... rules) throws MalformedNameException {
        RepoGrant git =
                new RepoGrant(
                        RepoPattern.parse("github.com/acme/app"),
                        Access.WRITE,
                        RefVisibility.all(),
                        PushRules.standard());
        return new Policy(SESSION, List.of(git), new Egress(List.of(rules), learn));
    }

    private static String ask(Policy policy, String host, int port) {
        return switch (policy.decide(new HostName(host), port)) {
            case Decision.Allow(var permit) ->
                    permit.host() + ":" + permit.port() + " " + permit.origin();
            case Decision.Deny(var reason) -> reason.code();
        };
    }

    /// E1.
    @Test
    void e1ReachesNothingWithoutRules() throws MalformedNameException {
        Policy policy = policy(false);
        assertThat(ask(policy, "example.com", 443)).isEqualTo("name-not-allowed");
        assertThat(ask(policy, "github.com", 22)).isEqualTo("name-not-allowed");
        assertThat(ask(policy(false, rule("example.com")), "example.com", 443))
                .isEqualTo("port-not-allowed");
    }

    /// G16: a host that the session has repositories of is there for the git door alone.
    @Test
    void g16AGitHostIsForTheGitDoorAlone() throws Exception {
        Policy policy = policy(true);
        assertThat(ask(policy, "github.com", 443)).isEqualTo("github.com:443 git");
        assertThat(ask(policy, "github.com", 8443)).isEqualTo("name-not-allowed");
        var decision =
                (Decision.Allow<EgressPermit>) policy.decide(new HostName("github.com"), 443);
        assertThat(decision.permit().isForGit()).isTrue();
        assertThat(
                        Policy.objection(
                                decision.permit(),
                                new WebRequest(
                                        "GET",
                                        UrlPath.parse("/"),
                                        Optional.empty(),
                                        Optional.of(0L))))
                .isPresent();
        var ruled = policy(false, rule("github.com", 443));
        var byRule = (Decision.Allow<EgressPermit>) ruled.decide(new HostName("github.com"), 443);
        assertThat(byRule.permit().isForGit()).isFalse();
    }

    /// E4.
    @Test
    void e4TheFirstRuleThatCoversHostAndPortDecides() throws MalformedNameException {
        Policy policy =
                policy(
                        false,
                        rule("a.example.com", 8443),
                        rule("*.example.com", 443),
                        rule("**.example.com", 80, 443));
        assertThat(ask(policy, "a.example.com", 8443)).endsWith(" a.example.com");
        assertThat(ask(policy, "a.example.com", 443)).endsWith(" *.example.com");
        assertThat(ask(policy, "a.example.com", 80)).endsWith(" **.example.com");
        assertThat(ask(policy, "a.example.com", 53)).isEqualTo("port-not-allowed");
        assertThat(ask(policy, "example.org", 443)).isEqualTo("name-not-allowed");
    }

    @Test
    void learningNeverWidensGit() throws MalformedNameException {
        Policy policy = policy(true, rule("example.com", 443));
        assertThat(ask(policy, "other.example", 8080)).isEqualTo("other.example:8080 learning");
        assertThat(ask(policy, "example.com", 22)).endsWith(" learning");
        assertThat(ask(policy, "github.com", 443)).isEqualTo("github.com:443 git");
        assertThat(ask(policy, "github.com", 80)).isEqualTo("github.com:80 git");
        assertThat(ask(policy, "github.com", 22)).isEqualTo("name-not-allowed");
        assertThat(ask(policy, "api.github.com", 443)).isEqualTo("name-not-allowed");
        assertThat(ask(policy, "notgithub.com", 443)).endsWith(" learning");
        assertThat(ask(policy(true, rule("**.git.example")), "api.git.example", 443))
                .isEqualTo("port-not-allowed");
        assertThat(policy.resolves(new HostName("anything.example"))).isTrue();
        assertThat(policy(false).resolves(new HostName("anything.example"))).isFalse();
        assertThat(policy(false).resolves(new HostName("github.com"))).isTrue();
    }

    private static EgressRule reaching(Reach reach) throws MalformedNameException {
        return new EgressRule(
                HostPattern.parse("example.com"), EgressRule.PORTS, reach, Optional.empty(), "x");
    }

    private static EgressRule inspected(Inspection inspection) throws MalformedNameException {
        return new EgressRule(
                HostPattern.parse("example.com"),
                EgressRule.PORTS,
                Reach.PUBLIC,
                Optional.of(inspection),
                "x");
    }

    private static EgressRule listing(
            Optional<SortedSet<String>> methods, Optional<List<UrlPattern>> paths)
            throws MalformedNameException {
        return inspected(
                new Inspection(
                        methods,
                        paths,
                        List.of(),
                        Optional.empty(),
                        JsonRules.NONE,
                        false,
                        List.of(),
                        Optional.empty(),
                        false));
    }

    private static EgressRule judging(
            List<String> types,
            Optional<Long> bytes,
            List<JsonRules.Denied> json,
            boolean websocket)
            throws MalformedNameException {
        return inspected(
                new Inspection(
                        Optional.empty(),
                        Optional.empty(),
                        types,
                        bytes,
                        new JsonRules(json, List.of(), List.of()),
                        websocket,
                        List.of(),
                        Optional.empty(),
                        false));
    }

    private static EgressRule passing(String parameter) throws MalformedNameException {
        return inspected(
                new Inspection(
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        Optional.empty(),
                        JsonRules.NONE,
                        false,
                        List.of(QueryName.parse(parameter)),
                        Optional.empty(),
                        false));
    }

    private static EgressRule injecting(String secret, Injection.Place place, String placeholder)
            throws MalformedNameException {
        Optional<String> sent = placeholder.isEmpty() ? Optional.empty() : Optional.of(placeholder);
        return inspected(
                new Inspection(
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        Optional.empty(),
                        JsonRules.NONE,
                        false,
                        List.of(),
                        Optional.of(new Injection(secret, place, sent)),
                        false));
    }

    /// E6: two sessions have the same digest only when they have the same rules.
    @Test
    void hasAnotherDigestForEveryComponentOfARule() throws MalformedNameException {
        UrlPattern path = UrlPattern.parse("/a");
        Injection.Place key = new Injection.Place.Header("key");
        List<Egress> all =
                new java.util.ArrayList<>(List.of(Egress.NONE, new Egress(List.of(), true)));
        for (EgressRule rule :
                List.of(
                        rule("example.com", 80, 443),
                        rule("example.com", 80),
                        rule("example.com"),
                        rule("*.example.com", 80, 443),
                        rule("**.example.com", 80, 443),
                        rule("example.org", 80, 443),
                        reaching(new Reach(true, Optional.empty(), Optional.empty())),
                        reaching(new Reach(false, Optional.of("192.0.2.1:1"), Optional.empty())),
                        reaching(new Reach(false, Optional.of("192.0.2.1:2"), Optional.empty())),
                        reaching(new Reach(false, Optional.empty(), Optional.of("192.0.2.1:1"))),
                        inspected(PLAIN),
                        listing(Optional.of(new TreeSet<>()), Optional.empty()),
                        listing(Optional.of(new TreeSet<>(List.of("GET"))), Optional.empty()),
                        listing(
                                Optional.of(new TreeSet<>(List.of("GET", "PUT"))),
                                Optional.empty()),
                        listing(Optional.empty(), Optional.of(List.of())),
                        listing(Optional.empty(), Optional.of(List.of(path))),
                        listing(Optional.empty(), Optional.of(List.of(path, path))),
                        judging(List.of("a/b"), Optional.empty(), List.of(), false),
                        judging(List.of("a/b", "a/c"), Optional.empty(), List.of(), false),
                        judging(List.of(), Optional.of(1L), List.of(), false),
                        judging(List.of(), Optional.of(2L), List.of(), false),
                        judging(
                                List.of(),
                                Optional.empty(),
                                List.of(JsonRules.JsonDenial.parse("a=b")),
                                false),
                        judging(
                                List.of(),
                                Optional.empty(),
                                List.of(JsonRules.JsonDenial.parse("a=c")),
                                false),
                        judging(List.of(), Optional.empty(), List.of(), true),
                        passing("token"),
                        passing("key"),
                        injecting("one", key, ""),
                        injecting("two", key, ""),
                        injecting("one", new Injection.Place.Header("other"), ""),
                        injecting("one", new Injection.Place.Query("key"), ""),
                        injecting("one", new Injection.Place.Basic("key"), ""),
                        injecting("one", new Injection.Place.Bearer(), ""),
                        injecting("one", key, "placeholder"),
                        injecting("one", key, "other"))) {
            all.add(new Egress(List.of(rule), false));
        }
        EgressRule one = rule("a.example", 80);
        EgressRule two = rule("b.example", 80);
        all.add(new Egress(List.of(one, two), false));
        all.add(new Egress(List.of(two, one), false));
        assertThat(all.stream().map(e -> new Policy(SESSION, List.of(), e).digest()).distinct())
                .hasSize(all.size());
    }

    @Test
    void whereARuleWasWrittenDoesNotChangeTheDigest() throws MalformedNameException {
        HostPattern host = HostPattern.parse("example.com");
        EgressRule here =
                new EgressRule(
                        host, EgressRule.PORTS, Reach.PUBLIC, Optional.empty(), "policy.yaml:1");
        EgressRule there =
                new EgressRule(
                        host, EgressRule.PORTS, Reach.PUBLIC, Optional.empty(), "policy.yaml:2");
        assertThat(policy(false, here).digest()).isEqualTo(policy(false, there).digest());
    }
}
