package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AuditLimits;
import dev.sallyport.config.GitHost;
import dev.sallyport.config.GitRule;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.HostKind;
import dev.sallyport.config.Limits;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.Reports;
import dev.sallyport.config.SessionLimits;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepoRequestTest {
    private static final PolicyFile POLICY =
            new PolicyFile(
                    List.of(
                            GitHost.GITHUB,
                            new GitHost(
                                    new HostName("git.corp.example"),
                                    HostKind.GITEA,
                                    Optional.empty(),
                                    Optional.empty())),
                    List.of(),
                    Egress.NONE,
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

    private static PolicyFile policy(GitRule... rules) {
        return new PolicyFile(
                POLICY.hosts(),
                List.of(rules),
                Egress.NONE,
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
    }

    private static GitRule rule(int line, String repo, Access access) {
        return new GitRule(rules(repo, access, line), "policy.yaml:" + line);
    }

    /// Rules that can be told from the standard ones, and from each other by their number.
    private static RepoGrant rules(String repo, Access access, int number) {
        try {
            RefVisibility visible =
                    RefVisibility.of(List.of(RefPattern.parseFull("refs/heads/" + number)));
            PushRules push =
                    access == Access.READ
                            ? PushRules.none()
                            : new PushRules(
                                    List.of(RefPattern.parse("branch-" + number)),
                                    true,
                                    true,
                                    true,
                                    number,
                                    ContentRules.standard());
            return new RepoGrant(RepoPattern.parse(repo), access, visible, push);
        } catch (MalformedNameException e) {
            throw new AssertionError(e);
        }
    }

    private static List<RepoGrant> grants(PolicyFile policy, String... repos)
            throws OperationException {
        return RepoRequests.grants(List.of(repos), policy);
    }

    private static void refused(PolicyFile policy, List<String> repos, String... fragments) {
        assertThatThrownBy(() -> RepoRequests.grants(repos, policy))
                .isInstanceOfSatisfying(
                        OperationException.class,
                        e -> {
                            assertThat(e.status()).isEqualTo(400);
                            assertThat(e.problem().remedy()).isNotBlank();
                            assertThat(e.problem().message()).contains(fragments);
                        });
    }

    @Test
    void withoutHostAndAccessItIsWriteToAgentBranchesOnGithub() throws OperationException {
        RepoGrant grant = grants(POLICY, "acme/app").getFirst();
        assertThat(grant.repo().toString()).isEqualTo("github.com/acme/app");
        assertThat(grant.access()).isEqualTo(Access.WRITE);
        assertThat(grant.visible()).isEqualTo(RefVisibility.all());
        assertThat(grant.push()).isEqualTo(PushRules.standard());
        assertThat(grant.push().branches()).hasToString("[agent/**]");
    }

    @Test
    void readGrantsNoBranch() throws OperationException {
        RepoGrant grant = grants(POLICY, "git.corp.example/acme/app:read").getFirst();
        assertThat(grant.repo().host().value()).isEqualTo("git.corp.example");
        assertThat(grant.access()).isEqualTo(Access.READ);
        assertThat(grant.push()).isEqualTo(PushRules.none());
    }

    @Test
    void takesTheRulesOfItsEntryInTheSpellingThatWasAskedFor() throws OperationException {
        PolicyFile policy = policy(rule(3, "github.com/acme/app", Access.WRITE));
        for (String asked : List.of("Acme/App", "Acme/App:write")) {
            assertThat(grants(policy, asked))
                    .containsExactly(rules("github.com/Acme/App", Access.WRITE, 3));
            assertThat(grants(policy, asked).getFirst().repo().text())
                    .isEqualTo("github.com/Acme/App");
        }
        assertThat(grants(policy, "acme/other").getFirst().push()).isEqualTo(PushRules.standard());
    }

    @Test
    void readingUnderAWritingEntryKeepsWhatIsVisible() throws OperationException {
        PolicyFile policy = policy(rule(3, "github.com/acme/app", Access.WRITE));
        assertThat(grants(policy, "acme/app:read"))
                .containsExactly(rules("github.com/acme/app", Access.READ, 3));
    }

    @Test
    void takesTheRulesOfItsOwnerWhenItHasNone() throws OperationException {
        PolicyFile policy =
                policy(
                        rule(3, "github.com/acme/lib", Access.WRITE),
                        rule(4, "github.com/acme/*", Access.WRITE));
        assertThat(grants(policy, "acme/app"))
                .containsExactly(rules("github.com/acme/app", Access.WRITE, 4));
    }

    @Test
    void writingUnderAReadingEntryIsRefusedWithItsLine() throws OperationException {
        PolicyFile policy =
                policy(
                        rule(3, "github.com/acme/app", Access.READ),
                        rule(4, "github.com/corp/*", Access.READ));
        refused(policy, List.of("acme/app:write"), "github.com/acme/app", "policy.yaml:3");
        refused(policy, List.of("corp/x:write"), "github.com/corp/x", "policy.yaml:4");
        refused(policy, List.of("corp/*:write"), "github.com/corp/*", "policy.yaml:4");
        assertThat(grants(policy, "acme/app"))
                .containsExactly(rules("github.com/acme/app", Access.READ, 3));
        assertThat(grants(policy, "corp/x:read"))
                .containsExactly(rules("github.com/corp/x", Access.READ, 4));
    }

    @Test
    void aWildcardIsCoveredByAWildcardOnly() throws OperationException {
        PolicyFile policy = policy(rule(3, "github.com/acme/*", Access.WRITE));
        assertThat(grants(policy, "acme/*"))
                .containsExactly(rules("github.com/acme/*", Access.WRITE, 3));
        assertThat(grants(policy, "other/*").getFirst().push()).isEqualTo(PushRules.standard());
    }

    @Test
    void aWildcardNeverWidensTheRulesOfOneRepository() throws OperationException {
        PolicyFile policy =
                policy(
                        rule(3, "github.com/acme/closed", Access.READ),
                        rule(4, "github.com/acme/app", Access.WRITE),
                        rule(5, "github.com/acme/*", Access.WRITE),
                        rule(6, "github.com/other/app", Access.WRITE));
        for (String asked : List.of("acme/*", "acme/*:write")) {
            assertThat(grants(policy, asked))
                    .containsExactly(
                            rules("github.com/acme/closed", Access.READ, 3),
                            rules("github.com/acme/app", Access.WRITE, 4),
                            rules("github.com/acme/*", Access.WRITE, 5));
        }
        assertThat(grants(policy, "acme/*:read"))
                .containsExactly(
                        rules("github.com/acme/closed", Access.READ, 3),
                        rules("github.com/acme/app", Access.READ, 4),
                        rules("github.com/acme/*", Access.READ, 5));
    }

    @Test
    void aWildcardWithoutItsOwnEntryStillBringsTheOthersAlong() throws OperationException {
        PolicyFile policy = policy(rule(3, "github.com/acme/closed", Access.READ));
        List<RepoGrant> grants = grants(policy, "acme/*:write");
        assertThat(grants.getFirst()).isEqualTo(rules("github.com/acme/closed", Access.READ, 3));
        assertThat(grants.getLast().repo().toString()).isEqualTo("github.com/acme/*");
        assertThat(grants.getLast().push()).isEqualTo(PushRules.standard());
        assertCannotPush(grants, "github.com/ACME/Closed");
    }

    private static void assertCannotPush(List<RepoGrant> grants, String repo) {
        Policy compiled = new Policy(new SessionId("0123456789abcdef"), grants);
        try {
            assertThat(compiled.decide(RepoName.parse(repo), GitService.RECEIVE_PACK))
                    .isInstanceOf(Decision.Deny.class);
        } catch (MalformedNameException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aRepositoryAskedForByNameComesBeforeItsWildcard() throws OperationException {
        for (List<String> order :
                List.of(
                        List.of("acme/*:read", "acme/app:write"),
                        List.of("acme/app:write", "acme/*:read"))) {
            assertThat(RepoRequests.grants(order, POLICY))
                    .extracting(grant -> grant.repo() + ":" + grant.access().label())
                    .containsExactly("github.com/acme/app:write", "github.com/acme/*:read");
        }
        PolicyFile policy = policy(rule(3, "github.com/acme/app", Access.WRITE));
        List<RepoGrant> grants = grants(policy, "acme/*", "Acme/App:read");
        assertThat(grants).hasSize(2).contains(rules("github.com/Acme/App", Access.READ, 3));
        assertCannotPush(grants, "github.com/acme/app");
    }

    @Test
    void theSameRequestTwiceIsOneAndTwoDifferentOnesAreRefused() throws OperationException {
        assertThat(grants(POLICY, "acme/app", "ACME/app")).hasSize(1);
        refused(POLICY, List.of("acme/app:read", "Acme/App:write"), "twice with different access");
        refused(POLICY, List.of("acme/*", "acme/*:read"), "twice with different access");
    }

    @Test
    void refusesMoreThanOneMessageHolds() throws Exception {
        List<GitRule> many = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            many.add(rule(i + 1, "github.com/acme/app" + i, Access.WRITE));
        }
        refused(policy(many.toArray(GitRule[]::new)), List.of("acme/*"), "characters");
        refused(POLICY, Collections.nCopies(65, "acme/app"), "at most 64");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "app",
                "acme/app:admin",
                "acme/app:",
                "acme/app:READ",
                "acme/app.git",
                "acme/../app",
                "/acme/app",
                "https://github.com/acme/app",
                "*/*",
                "acme/a b",
            })
    void anythingElseIsRefusedWithTheForm(String text) {
        assertThatThrownBy(() -> grants(POLICY, text))
                .isInstanceOfSatisfying(
                        OperationException.class,
                        e -> {
                            assertThat(e.status()).isEqualTo(400);
                            assertThat(e.problem().remedy()).contains("[host/]owner/name");
                        });
    }

    @Test
    void aHostThatNobodyAllowedIsRefusedWithTheRemedy() {
        assertThatThrownBy(() -> grants(POLICY, "evil.example/acme/app"))
                .isInstanceOfSatisfying(
                        OperationException.class,
                        e -> assertThat(e.problem().remedy()).contains("policy.yaml"));
    }
}
