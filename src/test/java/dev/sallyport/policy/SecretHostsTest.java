package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.HostPattern.Breadth;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// P2, I2: a secret goes to the host that it was stored for, and to listed places.
class SecretHostsTest {
    private static final HostName HOME = new HostName("api.githubcopilot.com");
    private static final HostName API = new HostName("api.github.com");
    private static final String USER = "/copilot_internal/user";

    private static EgressRule rule(HostPattern host, List<String> methods, String... paths)
            throws Exception {
        List<UrlPattern> patterns = new ArrayList<>();
        for (String path : paths) {
            patterns.add(UrlPattern.parse(path));
        }
        Injection injection =
                new Injection("copilot", new Injection.Place.Bearer(), Optional.empty());
        Inspection inspection =
                new Inspection(
                        Optional.of(new TreeSet<>(methods)),
                        Optional.of(patterns),
                        List.of(),
                        Optional.empty(),
                        JsonRules.NONE,
                        false,
                        List.of(),
                        Optional.of(injection),
                        false);
        return new EgressRule(
                host, new TreeSet<>(Set.of(443)), Reach.PUBLIC, Optional.of(inspection), "test");
    }

    private static EgressRule pages(String... paths) throws Exception {
        return rule(new HostPattern(Breadth.EXACT, API), List.of("GET"), paths);
    }

    private static Policy policy(List<RepoGrant> grants, EgressRule... rules) {
        return new Policy(SessionId.random(), grants, new Egress(List.of(rules), false));
    }

    private static List<RepoGrant> grants() throws Exception {
        return List.of(
                new RepoGrant(
                                RepoPattern.parse("github.com/acme/app"),
                                Access.WRITE,
                                RefVisibility.all(),
                                PushRules.standard())
                        .withApi(ApiRules.standard(Access.WRITE)));
    }

    private static EgressPermit allowed(Decision<EgressPermit> decision) {
        return switch (decision) {
            case Decision.Allow(EgressPermit permit) -> permit;
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "api.githubcopilot.com, POST, /chat/completions",
        "api.individual.githubcopilot.com, POST, /chat/completions",
        "api.business.githubcopilot.com, GET, /models",
        "api.enterprise.githubcopilot.com, GET, /models?a=b",
        "api.github.com, GET, /copilot_internal/user",
        "api.github.com, GET, /copilot_internal/managed_settings?client_id=x",
        "api.github.com, GET, /copilot_internal/team_customizations",
    })
    void aServicesSecretGoesToItsListedPlaces(String host, String method, String target) {
        assertThat(SecretHosts.reach(HOME, new HostName(host), method, target)).isTrue();
        assertThat(SecretHosts.reachInPart(HOME, new HostName(host))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "api.github.com, GET, /copilot_internal/v2/token",
        "api.github.com, GET, /copilot_internal/users",
        "api.github.com, GET, /copilot_internal/user/",
        "api.github.com, GET, /copilot_internal/user/x",
        "api.github.com, GET, /copilot_internal/%75ser",
        "api.github.com, GET, /copilot_internal/User",
        "api.github.com, GET, /x?/copilot_internal/user",
        "api.github.com, GET, /user",
        "api.github.com, HEAD, /copilot_internal/user",
        "api.github.com, POST, /copilot_internal/user",
        "api.github.com, get, /copilot_internal/user",
        "github.com, GET, /copilot_internal/user",
        "githubcopilot.com, GET, /models",
        "proxy.individual.githubcopilot.com, GET, /models",
        "api.individual.githubcopilot.com.evil.example, GET, /models",
        "api-individual.githubcopilot.com, GET, /models",
        "apigithubcopilot.com, GET, /models",
        "api.github.com.evil.example, GET, /copilot_internal/user",
        "evil-api.github.com, GET, /copilot_internal/user",
    })
    void itGoesNowhereElse(String host, String method, String target) {
        assertThat(SecretHosts.reach(HOME, new HostName(host), method, target)).isFalse();
    }

    /// What is stored for one of the other places stays there.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "api.github.com",
                "github.com",
                "api.individual.githubcopilot.com",
                "api.example.com"
            })
    void noOtherSecretGoesThere(String stored) {
        assertThat(SecretHosts.reachInPart(new HostName(stored), HOME)).isFalse();
        assertThat(
                        SecretHosts.reach(
                                new HostName(stored),
                                new HostName("api.business.githubcopilot.com"),
                                "GET",
                                "/models"))
                .isFalse();
    }

    @Test
    void aRuleAboutMoreThanTheListedPagesCannotHaveIt() throws Exception {
        assertThat(SecretHosts.reach(HOME, pages(USER))).isTrue();
        assertThat(SecretHosts.reach(HOME, pages(USER, "/user"))).isFalse();
        assertThat(SecretHosts.reach(HOME, pages("/copilot_internal/*"))).isFalse();
        assertThat(SecretHosts.reach(HOME, pages("/copilot_internal/user*"))).isFalse();
        HostPattern api = new HostPattern(Breadth.EXACT, API);
        assertThat(SecretHosts.reach(HOME, rule(api, List.of("GET", "POST"), USER))).isFalse();
        assertThat(SecretHosts.reach(HOME, pages())).isFalse();
        HostPattern plans = HostPattern.parse("*.individual.githubcopilot.com");
        assertThat(SecretHosts.reach(HOME, rule(plans, List.of("GET"), "/models"))).isFalse();
    }

    /// With a repository the connection is that of the API's door, which leaves it the pages.
    @Test
    void aRuleForPagesDoesNotTakeTheDoorOfTheApiAway() throws Exception {
        Policy policy = policy(grants(), pages(USER));

        assertThat(allowed(policy.decide(API, 443)).isForGit()).isTrue();
        assertThat(policy.isPage(API, 443, USER)).isTrue();
        assertThat(policy.isPage(API, 443, "/copilot_internal/%75ser")).isTrue();
        for (String other :
                List.of("/user", USER + "/", USER + "%2f..", "/x/.." + USER, "/repos/acme/app")) {
            assertThat(policy.isPage(API, 443, other)).as(other).isFalse();
        }
        assertThat(policy.isPage(new HostName("github.com"), 443, USER)).isFalse();
        assertThat(allowed(policy.decideRequest(API, 443)).isForPages()).isTrue();
    }

    @Test
    void withoutARepositoryTheRuleDecidesAlone() throws Exception {
        Policy policy = policy(List.of(), pages(USER));

        assertThat(allowed(policy.decide(API, 443)).isForGit()).isFalse();
        assertThat(allowed(policy.decide(API, 443)).isForPages()).isTrue();
    }

    /// A person's own rule for the host decides about all of it, as ever.
    @Test
    void aWiderRuleStillTakesTheWholeHost() throws Exception {
        Policy policy = policy(grants(), pages("/meta"), pages(USER));

        assertThat(allowed(policy.decide(API, 443)).isForGit()).isFalse();
        assertThat(policy.isPage(API, 443, "/meta")).isFalse();
        assertThat(policy.isPage(API, 443, USER)).isFalse();
    }
}
