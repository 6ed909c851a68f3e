package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.HostKind;
import dev.sallyport.config.Limits;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.RepoGrant;
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
                    Limits.standard());

    @Test
    void withoutHostAndAccessItIsWriteToAgentBranchesOnGithub() throws OperationException {
        RepoGrant grant = RepoRequest.parse("acme/app", POLICY);
        assertThat(grant.repo().toString()).isEqualTo("github.com/acme/app");
        assertThat(grant.access()).isEqualTo(Access.WRITE);
        assertThat(grant.push().branches()).hasToString("[agent/**]");
        assertThat(grant.push().delete()).isFalse();
        assertThat(grant.push().tags()).isFalse();
    }

    @Test
    void readGrantsNoBranch() throws OperationException {
        RepoGrant grant = RepoRequest.parse("git.corp.example/acme/app:read", POLICY);
        assertThat(grant.repo().host().value()).isEqualTo("git.corp.example");
        assertThat(grant.access()).isEqualTo(Access.READ);
        assertThat(grant.push().branches()).isEmpty();
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
        assertThatThrownBy(() -> RepoRequest.parse(text, POLICY))
                .isInstanceOfSatisfying(
                        OperationException.class,
                        e -> {
                            assertThat(e.status()).isEqualTo(400);
                            assertThat(e.problem().remedy()).contains("[host/]owner/name");
                        });
    }

    @Test
    void aHostThatNobodyAllowedIsRefusedWithTheRemedy() {
        assertThatThrownBy(() -> RepoRequest.parse("evil.example/acme/app", POLICY))
                .isInstanceOfSatisfying(
                        OperationException.class,
                        e -> assertThat(e.problem().remedy()).contains("policy.yaml"));
    }
}
