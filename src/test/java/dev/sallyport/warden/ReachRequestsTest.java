package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AuditLimits;
import dev.sallyport.config.GitHost;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Home;
import dev.sallyport.config.Limits;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.Presets;
import dev.sallyport.config.Reports;
import dev.sallyport.config.SealedFiles;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.config.SessionLimits;
import dev.sallyport.control.Api;
import dev.sallyport.credential.AwsKey;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.Grants;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import dev.sallyport.policy.UrlPattern;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReachRequestsTest {
    private static final SessionId SESSION = new SessionId("0123456789abcdef");

    @TempDir Path temporary;
    private SecretFiles secrets;

    @BeforeEach
    void makeHome() throws Exception {
        Home home = new Home(temporary.toRealPath().resolve("home"));
        home.create();
        secrets = new SecretFiles(new SealedFiles(home.secrets(), Optional.empty()));
    }

    private ReachRequests requests(EgressRule... rules) {
        Egress egress = new Egress(List.of(rules), false);
        PolicyFile policy =
                new PolicyFile(
                        List.of(GitHost.GITHUB),
                        List.of(),
                        egress,
                        Optional.empty(),
                        Limits.standard(),
                        List.of(),
                        Optional.empty(),
                        SessionLimits.standard(),
                        GitSettings.STANDARD,
                        AuditLimits.standard(),
                        Reports.NONE,
                        Optional.empty(),
                        Optional.empty());
        return new ReachRequests(() -> policy, secrets);
    }

    private static Api.ReachRequest allowing(String... hosts) {
        return new Api.ReachRequest(List.of(hosts), List.of(), true, false, List.of());
    }

    private static boolean allows(Egress egress, String host, int port) {
        return new Policy(SESSION, List.of(), egress).decide(new HostName(host), port)
                instanceof Decision.Allow;
    }

    @Test
    void whatWasAskedForComesOnTopOfThePolicyFile() throws Exception {
        EgressRule filed = Grants.unusualEgress("plain.example.net").toRule();
        EgressRule rule =
                new EgressRule(
                        filed.host(), filed.ports(), filed.reach(), Optional.empty(), "file");
        Egress egress =
                requests(rule).plan(allowing("a.example.com", "*.example.org:8443"), List.of());

        assertThat(allows(egress, "a.example.com", 443)).isTrue();
        assertThat(allows(egress, "a.example.com", 80)).isTrue();
        assertThat(allows(egress, "a.example.com", 8_443)).isFalse();
        assertThat(allows(egress, "x.example.org", 8_443)).isTrue();
        assertThat(allows(egress, "x.example.org", 443)).isFalse();
        assertThat(allows(egress, "plain.example.net", 8_443)).isTrue();
        assertThat(allows(egress, "other.example.net", 443)).isFalse();
    }

    @Test
    void aPlainTunnelIsForOnePortAndNotWhereAnotherRuleDecides() throws Exception {
        Api.ReachRequest asked =
                new Api.ReachRequest(
                        List.of("a.example.com"),
                        List.of(),
                        true,
                        false,
                        List.of(),
                        List.of("db.example.com:5432"),
                        List.of());
        Egress egress = requests().plan(asked, List.of());
        assertThat(allows(egress, "db.example.com", 5_432)).isTrue();
        assertThat(allows(egress, "db.example.com", 443)).isFalse();
        assertThat(egress.rules().getLast().tcp()).isTrue();
        Egress wider =
                requests()
                        .widen(
                                egress,
                                new Api.Allow(List.of(), List.of("db.example.com:5433"), false));
        assertThat(allows(wider, "db.example.com", 5_433)).isTrue();
        for (String refused :
                List.of(
                        "a.example.com:443",
                        "github.com:22",
                        "ssh.github.com:443",
                        "*.b.example:1")) {
            Api.Allow more = new Api.Allow(List.of(), List.of(refused), false);
            assertThatThrownBy(() -> requests().widen(egress, more))
                    .isInstanceOf(OperationException.class);
        }
    }

    /// E1 and G20.
    @Test
    void nothingAskedForAndNothingInTheFileIsNothing() throws Exception {
        assertThat(requests().plan(Api.ReachRequest.STANDARD, List.of())).isEqualTo(Egress.NONE);
        EgressRule rule = Grants.unusualEgress("a.example.com").toRule();
        assertThat(
                        requests(rule)
                                .plan(
                                        new Api.ReachRequest(
                                                List.of(), List.of(), false, false, List.of()),
                                        List.of(rule))
                                .rules())
                .isEmpty();
    }

    /// G16: a tunnel to a git host would go around the git door.
    @ParameterizedTest
    @ValueSource(strings = {"github.com", "*.com", "**.com", "github.com:8443"})
    void gitHostsCannotBeAskedFor(String host) {
        assertThatThrownBy(() -> requests().plan(allowing(host), List.of()))
                .isInstanceOf(OperationException.class);
    }

    /// P2: what a person asks for by hand takes no rule's inspection away.
    @Test
    void anInspectedRuleWinsOverAWiderTunnel() throws Exception {
        EgressRule rule = Grants.unusualEgress("api.example.com").toRule();
        Secret value = Secret.of("k".repeat(20).getBytes(StandardCharsets.US_ASCII));
        secrets.set("key", new HostName("api.example.com"), Optional.empty(), value);
        Egress planned = requests(rule).plan(allowing("**.example.com:8443"), List.of());
        Egress widened =
                requests()
                        .widen(
                                new Egress(List.of(rule), false),
                                new Api.Allow(List.of("*.example.com:8443"), List.of(), false));
        for (Egress egress : List.of(planned, widened)) {
            assertThat(isInspected(egress, "api.example.com")).isTrue();
            assertThat(isInspected(egress, "other.example.com")).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"api.example.com:8443", "api.example.com"})
    void aTunnelToAnInspectedHostIsRefusedWithTheRule(String asked) throws Exception {
        EgressRule filed = Grants.unusualEgress("api.example.com").toRule();
        EgressRule rule =
                new EgressRule(
                        filed.host(),
                        new TreeSet<>(List.of(443, 8_443)),
                        filed.reach(),
                        filed.inspection(),
                        filed.origin());
        Egress present = new Egress(List.of(rule), false);
        assertThatThrownBy(
                        () ->
                                requests()
                                        .widen(
                                                present,
                                                new Api.Allow(List.of(asked), List.of(), false)))
                .hasMessageContaining("api.example.com is inspected (policy.yaml:7)");
        assertThatThrownBy(() -> requests(rule).plan(allowing(asked), List.of()))
                .hasMessageContaining("is inspected");
        assertThat(
                        requests()
                                .widen(
                                        present,
                                        new Api.Allow(
                                                List.of("api.example.com:9443"), List.of(), false))
                                .rules())
                .hasSize(2);
    }

    private static boolean isInspected(Egress egress, String host) {
        return switch (new Policy(SESSION, List.of(), egress).decide(new HostName(host), 8_443)) {
            case Decision.Allow(var permit) -> permit.inspection().isPresent();
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    /// G16: learning opens no git host, whether granted or not, nor its API.
    @Test
    void g16LearningClosesEveryGitHostThatIsConfigured() throws Exception {
        Egress egress =
                requests()
                        .plan(
                                new Api.ReachRequest(List.of(), List.of(), true, true, List.of()),
                                List.of());
        for (String host : List.of("github.com", "api.github.com", "gist.github.com")) {
            assertThat(allows(egress, host, 443)).isFalse();
        }
        assertThat(allows(egress, "other.example.com", 443)).isTrue();
        assertThat(allows(egress, "notgithub.com", 443)).isTrue();
    }

    /// E7 and E8: one spelling, and no address.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "**",
                "*.co.uk",
                "**.github.io",
                "gateway.sallyport",
                "",
                ":443",
                "a.example.com:",
                "a.example.com:0",
                "a.example.com:65536",
                "a.example.com:0443",
                "a.example.com:443:443",
                "A.example.com",
                "a.example.com.",
                "a*.example.com",
                "a.*.example.com",
                "192.0.2.1",
                "[2001:db8::1]",
                "0x7f.1",
                "a.example.com/x",
                "user@a.example.com"
            })
    void onlyTheOneSpellingOfAHostIsTaken(String text) {
        assertThatThrownBy(() -> requests().plan(allowing(text), List.of()))
                .isInstanceOf(OperationException.class);
    }

    @Test
    void aRuleWhoseSecretIsMissingIsRefusedWithTheRemedy() throws Exception {
        EgressRule rule = Grants.unusualEgress("api.example.com").toRule();
        assertThatThrownBy(() -> requests(rule).plan(Api.ReachRequest.STANDARD, List.of()))
                .hasMessageContaining("The secret key for api.example.com is missing")
                .hasMessageContaining("policy.yaml:7");
    }

    /// I2: a secret of one host is not for another.
    @Test
    void aRuleWhoseSecretBelongsToAnotherHostIsRefused() throws Exception {
        EgressRule rule = Grants.unusualEgress("api.example.com").toRule();
        Secret value = Secret.of("k".repeat(20).getBytes(StandardCharsets.US_ASCII));
        secrets.set("key", new HostName("other.example.com"), Optional.empty(), value);
        assertThatThrownBy(() -> requests(rule).plan(Api.ReachRequest.STANDARD, List.of()))
                .hasMessageContaining("belongs to other.example.com");

        secrets.set("key", new HostName("api.example.com"), Optional.empty(), value);
        assertThat(requests(rule).plan(Api.ReachRequest.STANDARD, List.of()).rules())
                .containsExactly(rule);
    }

    /// I2: one secret for the hosts of one service, and for no more than the listed pages of
    /// another.
    @Test
    void i2ASecretOfAServiceIsForItsListedPlacesOnly() throws Exception {
        Secret token = Secret.of("github_pat_planted".getBytes(StandardCharsets.US_ASCII));
        secrets.set("copilot", new HostName("github.com"), Optional.empty(), token);
        assertThatThrownBy(() -> requests().plan(implying("copilot"), List.of()))
                .hasMessageContaining("belongs to github.com, not to api.githubcopilot.com");

        secrets.set("copilot", new HostName("api.githubcopilot.com"), Optional.empty(), token);
        Egress egress = requests().plan(implying("copilot"), List.of());
        assertThat(egress.rules()).hasSize(5);
        EgressRule pages = egress.rules().get(1);
        UrlPattern everything = UrlPattern.parse("/**");
        EgressRule wide =
                new EgressRule(
                        pages.host(),
                        pages.ports(),
                        pages.reach(),
                        pages.inspection().map(i -> i.withPaths(List.of(everything))),
                        "policy.yaml:7");
        assertThatThrownBy(() -> requests(wide).plan(Api.ReachRequest.STANDARD, List.of()))
                .hasMessageContaining("belongs to api.githubcopilot.com, not to api.github.com");
    }

    /// I2: requests are signed with a key of AWS and with nothing else, and it is sent nowhere.
    @Test
    void aRuleWhoseSecretIsOfAnotherKindIsRefused() throws Exception {
        HostName host = new HostName("api.example.com");
        EgressRule sends = Grants.unusualEgress("api.example.com").toRule();
        Secret key = AwsKey.line("AKIAEXAMPLEEXAMPLE", "k".repeat(40), Optional.empty());
        secrets.set("key", host, Optional.empty(), key);
        assertThatThrownBy(() -> requests(sends).plan(Api.ReachRequest.STANDARD, List.of()))
                .hasMessageContaining("is an access key of AWS, which is not sent to any host");

        EgressRule signs = Presets.find("bedrock").orElseThrow().rules().getFirst();
        Secret token = Secret.of("k".repeat(20).getBytes(StandardCharsets.US_ASCII));
        secrets.set("bedrock", signs.host().name(), Optional.empty(), token);
        assertThatThrownBy(() -> requests(signs).plan(Api.ReachRequest.STANDARD, List.of()))
                .hasMessageContaining("is of kind token, and requests are signed with");

        secrets.set("bedrock", signs.host().name(), Optional.empty(), key);
        assertThat(requests(signs).plan(Api.ReachRequest.STANDARD, List.of()).rules())
                .containsExactly(signs);
    }

    /// E14: what is too short to be told from other text cannot be kept out of an answer.
    @Test
    void e14ARuleWhoseSecretIsTooShortToBeFoundIsRefused() throws Exception {
        EgressRule rule = Grants.unusualEgress("api.example.com").toRule();
        Secret value = Secret.of("k".repeat(7).getBytes(StandardCharsets.US_ASCII));
        secrets.set("key", new HostName("api.example.com"), Optional.empty(), value);
        assertThatThrownBy(() -> requests(rule).plan(Api.ReachRequest.STANDARD, List.of()))
                .hasMessageContaining("The secret key is too short");
    }

    @Test
    void presetsAreRulesLikeThoseOfTheFile() throws Exception {
        Api.ReachRequest npm =
                new Api.ReachRequest(List.of(), List.of("npm"), false, false, List.of());
        assertThat(requests().plan(npm, List.of()).rules())
                .isNotEmpty()
                .allMatch(rule -> rule.inspection().isPresent());
        Api.ReachRequest unknown =
                new Api.ReachRequest(List.of(), List.of("nmp"), true, false, List.of());
        assertThatThrownBy(() -> requests().plan(unknown, List.of()))
                .isInstanceOf(OperationException.class);
    }

    private static Api.ReachRequest implying(String... presets) {
        return new Api.ReachRequest(List.of(), List.of(), true, false, List.of(presets));
    }

    /// A person's own rule for an agent's model decides, and its secret is the one that is needed.
    @Test
    void whatAnAgentNeedsComesAfterThePersonsRules() throws Exception {
        assertThatThrownBy(() -> requests().plan(implying("anthropic"), List.of()))
                .hasMessageContaining("The secret anthropic for api.anthropic.com is missing");
        EgressRule own = Grants.unusualEgress("api.anthropic.com").toRule();
        EgressRule tunnel =
                new EgressRule(own.host(), EgressRule.PORTS, own.reach(), Optional.empty(), "file");
        Egress egress = requests(tunnel).plan(implying("anthropic", "npm"), List.of());
        assertThat(egress.rules()).startsWith(tunnel).hasSizeGreaterThan(1);
        assertThat(egress.rules())
                .filteredOn(rule -> rule.host().equals(tunnel.host()))
                .containsExactly(tunnel);
    }

    /// A project may be of several kinds at once.
    @Test
    void allRegistriesCanBeImpliedTogether() throws Exception {
        Api.ReachRequest all =
                implying("npm", "pypi", "maven", "gradle", "cargo", "go", "rubygems");
        assertThat(requests().plan(all, List.of()).rules()).hasSizeGreaterThan(7);
        Api.ReachRequest twice =
                new Api.ReachRequest(List.of(), List.of("npm"), true, false, List.of("npm"));
        assertThat(requests().plan(twice, List.of()).rules()).isNotEmpty();
    }

    @Test
    void wideningKeepsWhatWasThere() throws Exception {
        EgressRule rule = Grants.unusualEgress("api.example.com").toRule();
        Egress present = new Egress(List.of(rule), true);
        Egress wider =
                requests()
                        .widen(present, new Api.Allow(List.of("b.example.com"), List.of(), false));

        assertThat(wider.learn()).isTrue();
        assertThat(wider.rules()).hasSize(2).contains(rule);
        assertThat(allows(wider, "b.example.com", 443)).isTrue();
    }
}
