package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.FakeApp;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.fixture.github.FakeGithub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// From a clone to a pull request where something else than usual is between gh and its GitHub: an
/// App instead of a token, an Enterprise host, a container.
class GithubVariantsIT {
    private static Path root;
    private static FakeGithub github;
    private static PrivateDocker docker;
    private static Installation sallyport;

    /// For github.com there is an App and no token, for the Enterprise host a token.
    @BeforeAll
    static void start() throws IOException, GeneralSecurityException {
        root = Files.createTempDirectory("sp-variants");
        github = FakeGithub.start(root.resolve("github"));
        docker = PrivateDocker.start();
        sallyport = Installation.bare(root.resolve("i"), Map.of("DOCKER_HOST", docker.host()));
        Files.copy(github.git().caFile(), sallyport.home().resolve("ca.pem"));
        sallyport.policy(
                """
                hosts:
                  - {name: github.com, kind: github, ca-file: ca.pem, dial: "DIAL"}
                  - {name: ghe.test.example, kind: github-enterprise, ca-file: ca.pem, dial: "DIAL"}
                git:
                  - {repo: ghe.test.example/acme/app, access: write, api: {rerun: true}}
                """
                        .replace("DIAL", github.git().dial()));
        KeyPair key = FakeApp.KEYS;
        github.believe(key.getPublic());
        sallyport
                .sallyport(
                        "secret", "set", "github", "--kind", "github-app", "--app", FakeGithub.APP)
                .input(FakeApp.pem("PRIVATE KEY", key.getPrivate().getEncoded()))
                .run()
                .ok();
        sallyport
                .sallyport("secret", "set", "corp", "--host", FakeGithub.ENTERPRISE)
                .input(FakeGithub.TOKEN + "\n")
                .run()
                .ok();
    }

    @AfterAll
    static void stop() {
        sallyport.close();
        docker.close();
        github.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static void make(String box, String runtime, String repo) {
        sallyport.sallyport("new", "--name", box, "--runtime", runtime, "--repo", repo).run().ok();
    }

    private static String inside(String box, String script) {
        Command.Result result =
                sallyport
                        .sallyport("exec", box, "--", "bash", "-ec", script)
                        .within(Duration.ofMinutes(5))
                        .run();
        GithubRig.assertHarmless(result.all());
        return result.ok();
    }

    /// Clones, pushes, opens a pull request and looks at it, on a branch with the sandbox's name.
    private static void assertGoesAllTheWay(String box, String host, String gh) {
        List<String> said =
                inside(
                                box,
                                """
                                cd $(mktemp -d); git clone -q https://HOST/acme/app . ; git checkout -q -b agent/BOX
                                git config user.name A; git config user.email a@test.example
                                echo BOX > BOX.txt; git add -A; git commit -qm 'Mend BOX'; git push -qu origin agent/BOX
                                GH auth status >&2; GH api user --jq .login
                                GH pr create --fill; GH pr view --json title,headRefName,state --jq '.title + " " + .headRefName + " " + .state'
                                GH pr checks >&2 || true; GH pr list --author @me --json title --jq .[].title
                                """
                                        .replace("HOST", host)
                                        .replace("BOX", box)
                                        .replace("GH", gh))
                        .lines()
                        .toList();

        assertThat(said.get(1)).matches("https://" + host + "/acme/app/pull/\\d+");
        assertThat(said.get(2)).isEqualTo("Mend " + box + " agent/" + box + " OPEN");
        assertThat(said.subList(3, said.size())).contains("Mend " + box);
        assertThat(github.refs()).containsKey("acme/app refs/heads/agent/" + box);
    }

    /// With such a token GitHub itself refuses to say who it is.
    @Test
    void anAppOpensAPullRequestWithTwoTokensThatEndWithTheSandbox() {
        int before = github.requests().size();
        make("app", "bubblewrap", "acme/app");
        assertGoesAllTheWay("app", "github.com", "gh");

        assertThat(github.minted().values())
                .hasSize(2)
                .anySatisfy(
                        git ->
                                assertThat(git)
                                        .containsEntry("contents", "write")
                                        .doesNotContainKey("pull_requests"))
                .anySatisfy(
                        api ->
                                assertThat(api)
                                        .containsEntry("contents", "read")
                                        .containsEntry("pull_requests", "write"));
        List<FakeGithub.Seen> seen = github.requests();
        assertThat(seen.subList(before, seen.size()))
                .as("the personal token, which this GitHub would take, is not used")
                .isNotEmpty()
                .noneMatch(one -> one.authorization().contains(FakeGithub.TOKEN))
                .noneMatch(one -> one.target().startsWith("/user"));
        sallyport.sallyport("destroy", "app").run().ok();
        Await.until(() -> github.minted().isEmpty());
    }

    @Test
    void anEnterpriseHostIsFoundWithoutBeingNamed() {
        make("ghe", "bubblewrap", FakeGithub.ENTERPRISE + "/acme/app");
        assertGoesAllTheWay("ghe", FakeGithub.ENTERPRISE, "gh");

        assertThat(github.requests())
                .filteredOn(one -> one.host().equals(FakeGithub.ENTERPRISE))
                .anyMatch(one -> one.line().equals("POST /api/graphql"))
                .allMatch(one -> one.target().startsWith("/api/"));
        long run = github.run("acme", "app", "main");
        inside("ghe", "gh run rerun -R ghe.test.example/acme/app " + run);
        assertThat(github.changes()).contains("POST acme/app/actions/runs/" + run + "/rerun");
        String refused = inside("ghe", "gh api -X PUT repos/acme/app/pulls/2/merge 2>&1 || true");
        assertThat(refused).contains("Sallyport: ").contains("HTTP 403");
        sallyport.sallyport("destroy", "ghe").run().ok();
    }

    /// The image has no gh, so it lies in the workspace.
    @Test
    void ghWorksInAContainer() throws IOException {
        Files.copy(Path.of("/usr/bin/gh"), sallyport.workspace().resolve("gh"));
        make("docker", "docker", "acme/app");
        assertGoesAllTheWay("docker", "github.com", sallyport.workspace().resolve("gh").toString());
        sallyport.sallyport("destroy", "docker").run().ok();
    }
}
