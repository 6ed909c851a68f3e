package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.ExecRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What clients of an API find in a sandbox.
final class ApiVariablesTest {
    private static Policy policy(ApiRules rules, String... repos) throws Exception {
        List<RepoGrant> grants = new ArrayList<>();
        for (String repo : repos) {
            grants.add(
                    new RepoGrant(
                                    RepoPattern.parse(repo),
                                    Access.WRITE,
                                    RefVisibility.all(),
                                    PushRules.standard())
                            .withApi(rules));
        }
        return new Policy(SessionId.random(), grants);
    }

    private static Map<String, String> of(String... repos) throws Exception {
        return ApiVariables.of(policy(ApiRules.standard(Access.WRITE), repos), false);
    }

    @Test
    void thereAreNoneWithoutAnApi() throws Exception {
        assertThat(ApiVariables.of(policy(ApiRules.NONE, "github.com/a/b"), false)).isEmpty();
    }

    @Test
    void p1TheTokenIsOneThatOpensNothing() throws Exception {
        assertThat(of("github.com/a/b"))
                .containsEntry("GH_TOKEN", ApiHost.PLACEHOLDER)
                .containsEntry("GITHUB_TOKEN", ApiHost.PLACEHOLDER)
                .containsEntry("GH_PROMPT_DISABLED", "1")
                .doesNotContainKeys("GH_HOST", "GH_ENTERPRISE_TOKEN");
    }

    @Test
    void anEnterpriseHostIsNamedUnlessGithubIsThereToo() throws Exception {
        assertThat(of("git.corp.example/a/b"))
                .containsEntry("GH_HOST", "git.corp.example")
                .containsEntry("GH_ENTERPRISE_TOKEN", ApiHost.PLACEHOLDER)
                .doesNotContainKeys("GH_TOKEN", "GITHUB_TOKEN");
        assertThat(of("acme.ghe.com/a/b"))
                .containsEntry("GH_HOST", "acme.ghe.com")
                .doesNotContainKey("GH_ENTERPRISE_TOKEN");
        assertThat(of("git.corp.example/a/b", "github.com/a/b"))
                .doesNotContainKey("GH_HOST")
                .containsKeys("GH_ENTERPRISE_TOKEN", "GH_TOKEN");
    }

    @Test
    void eachServiceHasTheVariablesOfItsClients() throws Exception {
        ApiRules rules = ApiRules.standard(Access.WRITE);
        assertThat(ApiVariables.of(policy(rules.withForge(Forge.GITLAB), "git.corp/a/b"), false))
                .containsEntry("GITLAB_TOKEN", ApiHost.PLACEHOLDER)
                .containsEntry("GITLAB_HOST", "git.corp")
                .containsEntry("NO_PROMPT", "true")
                .doesNotContainKeys("GH_TOKEN", "GH_HOST", "GITEA_TOKEN");
        assertThat(ApiVariables.of(policy(rules.withForge(Forge.GITEA), "git.corp/a/b"), false))
                .containsEntry("GITEA_TOKEN", ApiHost.PLACEHOLDER)
                .containsEntry("GITEA_INSTANCE_URL", "https://git.corp")
                .doesNotContainKeys("GH_TOKEN", "GITLAB_TOKEN");
    }

    @Test
    void whatThePersonPassesWins() {
        ExecRequest request =
                new ExecRequest(List.of("sh"), true, Path.of("/"), Map.of("GH_HOST", "theirs"));

        assertThat(request.over(Map.of("GH_HOST", "ours", "GH_TOKEN", "x")).environment())
                .isEqualTo(Map.of("GH_HOST", "theirs", "GH_TOKEN", "x"));
    }

    @Test
    void aPersonAtATerminalIsAsked() throws Exception {
        Policy policy = policy(ApiRules.standard(Access.READ), "github.com/a/b");

        assertThat(ApiVariables.of(policy, true)).doesNotContainKey("GH_PROMPT_DISABLED");
    }
}
