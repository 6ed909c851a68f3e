package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.forge.FakeForge;
import dev.sallyport.fixture.forge.FakeGitea;
import dev.sallyport.fixture.forge.FakeGitlab;
import dev.sallyport.git.Git;
import dev.sallyport.git.GitBackend;
import dev.sallyport.git.TestPki;
import dev.sallyport.sandbox.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// GitLab and Gitea from inside a sandbox, with real git, and with the calls that their clients
/// make. The tokens could do everything.
class ForgesIT {
    private static final String GITLAB = "https://gitlab.test.example/api/v4";
    private static final String GITEA = "https://gitea.test.example/api/v1";
    private static final String TOKEN = "glpat-pl4ntedT0kenOfATest0042";

    private static Path root;
    private static Path heard;
    private static Path bare;
    private static GitBackend git;
    private static FakeForge gitlab;
    private static FakeForge gitea;
    private static Installation sallyport;

    @BeforeAll
    static void start() throws Exception {
        root = Files.createTempDirectory("sp-forges");
        Path repos = Files.createDirectory(root.resolve("repos"));
        heard = root.resolve("heard");
        bare = seed(repos.resolve("acme/app.git"));
        seed(repos.resolve("group/sub/tool.git"));
        TestPki pki = new TestPki();
        git =
                new GitBackend(
                        repos,
                        pki.server("gitlab.test.example", "gitea.test.example"),
                        "oauth2",
                        TOKEN);
        gitlab = new FakeForge("/api/v4", "Bearer " + TOKEN, new FakeGitlab());
        gitea = new FakeForge("/api/v1", "token " + TOKEN, new FakeGitea());
        git.serve("/api/v4/", gitlab);
        git.serve("/api/v1/", gitea);
        install(pki);
    }

    private static void install(TestPki pki) throws IOException {
        sallyport = Installation.bare(root.resolve("i"));
        Files.writeString(sallyport.home().resolve("ca.pem"), pki.caPem());
        sallyport.policy(
                """
                hosts:
                  - {name: gitlab.test.example, kind: gitlab, ca-file: ca.pem, dial: "%s"}
                  - {name: gitea.test.example, kind: gitea, ca-file: ca.pem, dial: "%s"}
                git:
                  - repo: gitlab.test.example/acme/app
                    access: write
                    api: {issues: write}
                """
                        .formatted(git.dial(), git.dial()));
        for (String host : List.of("gitlab", "gitea")) {
            sallyport
                    .sallyport("secret", "set", host, "--host", host + ".test.example")
                    .input(TOKEN + "\n")
                    .run()
                    .ok();
        }
        sallyport
                .sallyport(
                        "new",
                        "--name",
                        "box",
                        "--runtime",
                        "bubblewrap",
                        "--ephemeral-home",
                        "--repo",
                        "gitlab.test.example/acme/app",
                        "--repo",
                        "gitlab.test.example/group/sub/tool",
                        "--repo",
                        "gitea.test.example/acme/app")
                .run()
                .ok();
    }

    private static Path seed(Path bare) throws IOException {
        Path work = Files.createTempDirectory(root, "seed");
        Git.ok(work, "init", "-q");
        Files.writeString(work.resolve("README.md"), "# app\n");
        Git.ok(work, "add", "-A");
        Git.ok(work, "commit", "-q", "-m", "first");
        Files.createDirectories(bare.getParent());
        Git.ok(root, "clone", "-q", "--bare", work.toString(), bare.toString());
        Git.ok(bare, "config", "http.receivepack", "true");
        Git.ok(bare, "config", "receive.advertisePushOptions", "true");
        Path hook = bare.resolve("hooks/pre-receive");
        Files.createDirectories(hook.getParent());
        Files.writeString(
                hook, "#!/bin/sh\nenv | grep '^GIT_PUSH_OPTION_' >> '%s'\ntrue\n".formatted(heard));
        Files.setPosixFilePermissions(hook, PosixFilePermissions.fromString("rwxr-xr-x"));
        return bare;
    }

    @AfterAll
    static void stop() {
        sallyport.close();
        git.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static Command.Result inside(String script) {
        return sallyport
                .sallyport("exec", "box", "--", "bash", "-c", script)
                .within(Duration.ofMinutes(5))
                .run();
    }

    private static String curl(String method, String url, String body) {
        List<String> argv =
                new ArrayList<>(
                        List.of(
                                "curl",
                                "-s",
                                "--path-as-is",
                                "-w",
                                " (%{http_code})\n",
                                "-X",
                                method));
        if (!body.isEmpty()) {
            argv.addAll(List.of("-H", "Content-Type: application/json", "-d", body));
        }
        argv.add(url);
        return ShellWords.quote(argv);
    }

    private static String ask(String method, String url, String body) {
        return inside(curl(method, url, body)).out();
    }

    /// Lines of a method, a path and perhaps a body, each of which is refused and changes nothing.
    private static void inVain(FakeForge forge, String root, String lines) {
        List<String> before = List.copyOf(forge.deeds());
        List<String> commands =
                lines.lines()
                        .map(line -> line.split(" ", 3))
                        .map(w -> curl(w[0], root + w[1], w.length < 3 ? "" : w[2]))
                        .toList();
        int asked = forge.requests().size();
        String said = inside(String.join("\n", commands)).out();
        assertThat(said.lines().toList())
                .hasSize(commands.size())
                .allMatch(line -> line.matches(".*\"message\".* \\((400|403|404|422)\\)"));
        assertThat(said).doesNotContain(FakeGitlab.MARKER, FakeGitea.MARKER, TOKEN);
        assertThat(forge.deeds()).isEqualTo(before);
        assertThat(forge.requests().subList(asked, forge.requests().size()))
                .allMatch(request -> request.startsWith("GET "));
    }

    @Test
    void whatClientsNeedIsThereAndNoneOfItIsASecret() {
        String said =
                inside(
                                "env | sort; git clone -q https://gitlab.test.example/group/sub/tool t && ls t")
                        .out();
        assertThat(said)
                .contains("GITLAB_HOST=gitlab.test.example")
                .contains("GITLAB_TOKEN=")
                .contains("GITEA_INSTANCE_URL=https://gitea.test.example")
                .contains("README.md")
                .doesNotContain(TOKEN)
                .doesNotContain("GH_TOKEN");
    }

    @Test
    void g25_aMergeRequestIsOpenedFromAPushedBranchInBothWays() throws IOException {
        String said =
                inside(
                                """
                                set -e
                                git clone -q https://gitlab.test.example/acme/app w
                                cd w
                                git config user.name T; git config user.email t@test.example
                                echo x > x; git add x; git commit -q -m x
                                git push origin HEAD:agent/opt -o merge_request.create -o merge_request.title=Fix -o merge_request.description=Why 2>&1
                                git push origin HEAD:agent/no -o merge_request.create -o merge_request.auto_merge 2>&1 && exit 1
                                git push origin HEAD:refs/for/main 2>&1 && exit 1
                                """
                                        + curl(
                                                "POST",
                                                GITLAB + "/projects/acme%2Fapp/merge_requests",
                                                "{\"title\":\"Fix\",\"source_branch\":\"agent/opt\",\"target_branch\":\"main\",\"description\":\"text\",\"labels\":\"\"}"))
                        .out();
        assertThat(said)
                .contains("new branch")
                .contains("option merge_request.auto_merge: nothing that a sandbox proposes")
                .contains("review-ref-not-allowed")
                .contains("(201)");
        assertThat(Files.readString(heard))
                .contains("merge_request.create")
                .contains("merge_request.target_project=acme/app")
                .doesNotContain("auto_merge");
        assertThat(Git.ok(bare, "branch", "--list", "agent/*"))
                .contains("agent/opt")
                .doesNotContain("agent/no");
        assertThat(Git.ok(bare, "for-each-ref", "refs/for")).isEmpty();
        assertThat(gitlab.deeds())
                .anyMatch(
                        deed ->
                                deed.startsWith("POST 42/merge_requests {")
                                        && deed.contains("\"target_project_id\":42"));
    }

    @Test
    void gitlabIsReadAndScrubbed() {
        String project = ask("GET", GITLAB + "/projects/42", "");
        assertThat(project).contains("acme/app").contains("(200)").contains("\"access_level\":0");
        String merges =
                inside("curl -si '" + GITLAB + "/projects/acme%2fapp/merge_requests?state=all'")
                        .out();
        assertThat(merges)
                .contains("\"iid\":3")
                .containsIgnoringCase("x-next-page: 2")
                .contains("/projects/acme%2fapp/merge_requests?page=2&per_page=3&state=all>");
        String notes = ask("GET", GITLAB + "/projects/42/merge_requests/1/notes", "");
        assertThat(notes).contains("Looks good").contains("added 1 commit");
        String issues = ask("GET", GITLAB + "/projects/acme%2Fapp/issues", "");
        assertThat(issues).contains("\"iid\":5").doesNotContain("\"iid\":6", "projects/43");
        assertThat(ask("GET", GITLAB + "/projects/42/pipelines/8/jobs", "")).contains("build");
        assertThat(ask("GET", GITLAB + "/projects/42/jobs/9/trace", ""))
                .startsWith("the log of a job\n");
        assertThat(ask("GET", GITLAB + "/user", "")).contains("app_bot").doesNotContain("x@y.z");
        assertThat(ask("GET", GITLAB + "/projects/group%2Fsub%2Ftool", "")).contains("(200)");
        assertThat(project + merges + notes + issues).doesNotContain(FakeGitlab.MARKER, TOKEN);
    }

    @Test
    void g16_g23_whatATokenCouldDoAtGitlabIsNotDone() {
        inVain(
                gitlab,
                GITLAB,
                """
                PUT /projects/acme%2Fapp/merge_requests/1/merge {}
                PUT /projects/42/merge_requests/1/merge {}
                POST /projects/acme%2Fapp/merge_requests/1/approve {}
                PUT /projects/acme%2Fapp/merge_requests/1/rebase
                PUT /projects/acme%2Fapp/merge_requests/2 {"title":"x"}
                PUT /projects/acme%2Fapp/merge_requests/3 {"title":"x"}
                POST /projects/acme%2Fapp/merge_requests/2/notes {"body":"x"}
                POST /projects/acme%2Fapp/merge_requests/3/notes {"body":"x"}
                PUT /projects/acme%2Fapp/merge_requests/1/notes/1 {"body":"x"}
                POST /projects/acme%2Fapp/merge_requests/1/notes {"body":"fine\\n/merge"}
                POST /projects/acme%2Fapp/merge_requests/1/notes {"body":"ping @root"}
                POST /projects/acme%2Fapp/merge_requests/1/notes {"body":"x","internal":true}
                POST /projects/acme%2Fapp/merge_requests {"title":"/merge","source_branch":"agent/x","target_branch":"main"}
                POST /projects/acme%2Fapp/merge_requests {"title":"x","description":"/approve","source_branch":"agent/x","target_branch":"main"}
                POST /projects/acme%2Fapp/merge_requests {"title":"x","source_branch":"main","target_branch":"main"}
                POST /projects/acme%2Fapp/merge_requests {"title":"x","source_branch":"agent/x","target_branch":"main","target_project_id":43}
                POST /projects/acme%2Fapp/pipeline {"ref":"main"}
                POST /projects/acme%2Fapp/jobs/9/retry
                GET /projects/acme%2Fapp/variables
                GET /projects/acme%2Fapp/issues/6
                GET /projects/43
                GET /projects/other%2Fsecret
                GET /projects/other%2Fsecret/issues
                GET /projects/43/merge_requests
                GET /projects/acme%252Fapp
                GET /projects/acme/app
                GET /projects/acme%2F..%2Fapp
                GET /projects/acme%2Fapp/../../projects/43
                GET /projects/acme%2Fapp/%2e%2e/43
                GET /projects/042
                GET /projects/42;x
                GET /projects/42/issues?private_token=x
                GET /projects
                GET /users
                GET /groups/acme
                POST /personal_access_tokens/self/rotate
                """);
        inVain(
                gitlab,
                "https://gitlab.test.example",
                "POST /api/graphql {\"query\":\"{currentUser{id}}\"}");
    }

    @Test
    void giteaIsReadScrubbedAndWrittenTo() {
        String repo = ask("GET", GITEA + "/repos/acme/app", "");
        assertThat(repo)
                .contains("\"full_name\":\"acme/app\"")
                .contains("The Acme People")
                .contains("\"admin\":false");
        String pulls = ask("GET", GITEA + "/repos/acme/app/pulls", "");
        assertThat(pulls).contains("\"number\":3").contains("Bob");
        assertThat(ask("GET", GITEA + "/repos/acme/app/pulls/1.diff", "")).contains("diff --git");
        assertThat(ask("GET", GITEA + "/repos/acme/app/actions/jobs/9/logs", ""))
                .contains("the log");
        assertThat(ask("GET", GITEA + "/user", "")).contains("app_bot");
        assertThat(ask("GET", GITEA + "/version", "")).contains("1.24.0");
        assertThat(repo + pulls).doesNotContain(FakeGitea.MARKER, TOKEN);
        assertThat(
                        ask(
                                "POST",
                                GITEA + "/repos/acme/app/pulls",
                                "{\"title\":\"Fix\",\"head\":\"agent/fix\",\"base\":\"main\",\"body\":\"\",\"milestone\":0,\"labels\":null}"))
                .contains("(201)");
        assertThat(ask("POST", GITEA + "/repos/acme/app/issues/1/comments", "{\"body\":\"done\"}"))
                .contains("(201)");
        assertThat(gitea.deeds())
                .hasSize(2)
                .allMatch(deed -> deed.startsWith("POST /repos/acme/app/"));
    }

    @Test
    void g16_g23_whatATokenCouldDoAtGiteaIsNotDone() {
        inVain(
                gitea,
                GITEA,
                """
                POST /repos/acme/app/pulls/1/merge {"Do":"merge"}
                POST /repos/acme/app/pulls/1/merge {"Do":"merge","merge_when_checks_succeed":true}
                POST /repos/acme/app/pulls/1/update
                POST /repos/acme/app/pulls/1/reviews {"event":"APPROVED"}
                PATCH /repos/acme/app/pulls/2 {"title":"x"}
                PATCH /repos/acme/app/pulls/3 {"title":"x"}
                PATCH /repos/acme/app/issues/2 {"state":"closed"}
                POST /repos/acme/app/issues/2/comments {"body":"x"}
                POST /repos/acme/app/issues/3/comments {"body":"x"}
                POST /repos/acme/app/issues/4/comments {"body":"x"}
                POST /repos/acme/app/pulls {"title":"x","head":"main","base":"main"}
                POST /repos/acme/app/pulls {"title":"x","head":"other:agent/fix","base":"main"}
                POST /repos/acme/app/pulls {"title":"x","head":"agent/fix","base":"main","body":"/merge"}
                PUT /repos/acme/app/contents/x {"content":"eA=="}
                POST /repos/acme/app/hooks {}
                POST /repos/acme/app/forks {}
                GET /repos/acme/app/actions/secrets
                GET /repos/other/secret
                GET /repos/acme/app?token=x
                GET /repos/acme/app/pulls?access_token=x
                GET /repos/search
                GET /repos/acme%2Fapp
                POST /user/repos {"name":"x"}
                """);
    }
}
