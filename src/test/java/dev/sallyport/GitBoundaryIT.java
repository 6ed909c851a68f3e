package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What a person writes under `git:` in the policy, met from inside a sandbox with real git.
class GitBoundaryIT {
    private static final String START =
            "git config --global user.name A && git config --global user.email a@test.example;"
                    + " cd ~ && git clone -q https://"
                    + GitServer.HOST
                    + "/acme/REPO app && cd app;";

    private static Path root;
    private static GitServer server;
    private static Installation sallyport;
    private static Path app;
    private static Path narrow;

    private int before;

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-boundary");
        server = GitServer.start(Files.createDirectory(root.resolve("server")));
        app = server.repository("acme", "app");
        narrow = server.repository("acme", "narrow");
        GitServer.git(narrow, "update-ref", "refs/heads/secret-plans", "main");
        sallyport = Installation.with(root.resolve("i"), server);
        sallyport.policy(
                """
                hosts:
                  - name: %1$s
                    kind: plain
                    ca-file: test-ca.pem
                    dial: "%2$s"
                git:
                  - repo: %1$s/acme/narrow
                    access: write
                    refs-visible: ["refs/heads/main", "refs/heads/bot/**"]
                    push:
                      branches: ["bot/*"]
                      force: true
                      delete: true
                      paths-denied: ["deploy/**"]
                      paths-allowed: ["src/**", "deploy/**"]
                      file-bytes-max: 1000
                      commits-max: 3
                      secrets: warn
                      author: ["*@test.example"]
                """
                        .formatted(GitServer.HOST, server.dial()));
        // The warden that `secret set` started knows the earlier policy.
        sallyport.sallyport("down").run();
    }

    @AfterAll
    static void stopEverything() {
        sallyport.close();
        server.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @BeforeEach
    void remember() {
        before = server.requests().size();
    }

    private static Command.Result inSandbox(String repo, String script) {
        return sallyport.inSandbox("acme/" + repo, START.replace("REPO", repo) + script);
    }

    private List<String> asked() {
        List<String> all = server.requests();
        return all.subList(before, all.size());
    }

    private long pushesSent() {
        return asked().stream()
                .filter(line -> line.startsWith("POST") && line.contains("git-receive-pack"))
                .count();
    }

    @Test
    void rewritesTheSshSpellingsOfTheHostToo() {
        Command.Result result =
                sallyport.inSandbox(
                        "acme/app",
                        "cd ~ && git clone -q git@HOST:acme/app a && git clone -q ssh://git@HOST/acme/app.git b && ls"
                                .replace("HOST", GitServer.HOST));

        assertThat(result.ok()).isEqualTo("a\nb");
    }

    /// No rewriting matches these: the host answers under its own name.
    @Test
    void urlsWithAUserOrATokenWorkLikeTheOthers() {
        String script =
                "git config --global user.name A && git config --global user.email a@test.example; cd ~ && git clone -q https://someone@HOST/acme/app a && git clone -q https://x-access-token:not-a-real-token@HOST/acme/app.git b"
                        + " && cd a && git commit -q --allow-empty -m user && git push -q origin HEAD:agent/user && git rev-parse HEAD;"
                        + " git push origin HEAD:main; git ls-remote https://someone@HOST/acme/other";

        Command.Result result =
                sallyport.inSandbox("acme/app", script.replace("HOST", GitServer.HOST));

        assertThat(result.out().strip()).isEqualTo(GitServer.git(app, "rev-parse", "agent/user"));
        assertThat(result.err()).contains("[remote rejected] HEAD -> main");
        assertThat(result.exit()).isNotZero();
        assertThat(asked())
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).doesNotContain("not-a-real", "someone"));
    }

    @Test
    void aGitHostUnderItsOwnNameServesGitAndNothingElse() {
        String script =
                "ask() { curl -sS -m 60 -o /dev/null -w '%{http_code}\\n' \"$@\"; };"
                        + " ask https://HOST/; ask https://HOST/acme/app; ask https://HOST/policy; ask https://HOST/acme/app/archive/main.zip;"
                        + " ask -H 'Host: gateway.sallyport' https://HOST/policy; ask -H 'Host: other.example' 'https://HOST/acme/app/info/refs?service=git-upload-pack';"
                        + " ask 'https://HOST/acme/app/info/refs?service=git-upload-pack'";

        String[] codes =
                sallyport
                        .inSandbox("acme/app", script.replace("HOST", GitServer.HOST))
                        .ok()
                        .split("\n");

        assertThat(codes).hasSize(7);
        assertThat(List.of(codes).subList(0, 6)).allMatch(code -> code.startsWith("4"));
        assertThat(codes[6]).as("positive control").isEqualTo("200");
        assertThat(asked()).hasSize(1);
    }

    @Test
    void G14_theSecondPushOfABranchWorksAndARewindDoesNot() {
        Command.Result result =
                inSandbox(
                        "app",
                        "git checkout -q -b agent/a && echo 1 > f && git add f && git commit -qm 1 && git push -q origin agent/a"
                                + " && echo 2 > f && git commit -qam 2 && git push -q origin agent/a && git rev-parse HEAD;"
                                + " git reset -q --hard HEAD~1; git push --force origin agent/a");

        assertThat(result.out().strip()).isEqualTo(GitServer.git(app, "rev-parse", "agent/a"));
        assertThat(result.err())
                .contains("! [remote rejected] agent/a -> agent/a (sallyport: force-not-allowed)");
        assertThat(pushesSent()).isEqualTo(2);
    }

    @Test
    void G3_theStandardRulesKeepDefinitionsOfContinuousIntegrationOut() {
        Command.Result result =
                inSandbox(
                        "app",
                        "mkdir -p .github/workflows && echo 'on: push' > .github/workflows/x.yml && git add -A && git commit -qm x"
                                + " && git rm -q .github/workflows/x.yml && git commit -qm y && git push origin HEAD:agent/ci");

        assertThat(result.err())
                .contains("(sallyport: path-not-allowed)")
                .contains(".github/workflows/x.yml")
                .contains("remote: This sandbox may push to branches that match agent/**");
        assertThat(pushesSent()).isZero();
    }

    @Test
    void G3_noSpellingThatAnotherFileSystemTakesForADeniedPathIsPushed() {
        Command.Result result =
                inSandbox(
                        "app",
                        "git config core.protectNTFS false;"
                                + " try() { mkdir -p \"$(dirname \"$1\")\" && echo x > \"$1\" && git add -A && git commit -qm x && git push -q origin HEAD:agent/spelt && echo \"PUSHED $1\"; git reset -q --hard origin/HEAD; };"
                                + " try '.github./workflows/x.yml'; try 'GITHUB~1/WORKFL~1/x.yml'; try '.github::$INDEX_ALLOCATION/workflows/x.yml';"
                                + " try '.github\\workflows\\x.yml'; try \"$(printf '.git\\315\\217hub/workflows/x.yml')\"; try 'GITLAB~1.YML';"
                                + " link=$(printf '120000 blob %s\\t.gitmodules' $(echo /etc/hostname | git hash-object -w --stdin)); tree=$( (git ls-tree HEAD; echo \"$link\") | git mktree);"
                                + " git push -q origin $(git commit-tree -p HEAD -m x $tree):refs/heads/agent/spelt && echo PUSHED link;"
                                + " echo TRIED; try 'docs/a~1b.txt'");

        assertThat(result.out().strip()).isEqualTo("TRIED\nPUSHED docs/a~1b.txt");
        assertThat(result.err().split("\\(sallyport: path-not-allowed\\)", -1)).hasSize(8);
        assertThat(pushesSent()).isEqualTo(1);
    }

    @Test
    void G21_aStrangersPullRequestIsJudgedLikeTheSandboxesOwnWork() {
        GitServer.git(app, "update-ref", "refs/pull/5/head", strangersCommit());

        Command.Result result =
                inSandbox(
                        "app",
                        "git fetch -q origin refs/pull/5/head && git push origin FETCH_HEAD:refs/heads/agent/pr;"
                                + " echo 1 > own && git add own && git commit -qm own && git fetch -q origin refs/pull/5/head"
                                + " && git merge -q --no-edit FETCH_HEAD && echo MERGED; git push origin HEAD:refs/heads/agent/merged");

        assertThat(result.out()).contains("MERGED");
        assertThat(result.err())
                .contains("agent/pr (sallyport: path-not-allowed)")
                .contains("agent/merged (sallyport: path-not-allowed)")
                .contains(".github/workflows/x.yml");
        assertThat(GitServer.git(app, "for-each-ref", "--format=%(refname)"))
                .doesNotContain("agent/pr", "agent/merged");
        assertThat(pushesSent()).isZero();
    }

    private static String strangersCommit() {
        Path clone = root.resolve("stranger");
        GitServer.git(root, "clone", "-q", app.toString(), clone.toString());
        try {
            Path flow = clone.resolve(".github/workflows/x.yml");
            Files.createDirectories(flow.getParent());
            Files.writeString(flow, "on: push\n");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        GitServer.git(clone, "add", "-A");
        GitServer.git(clone, "commit", "-q", "-m", "please run this");
        GitServer.git(clone, "push", "-q", app.toString(), "HEAD:refs/pull/5/head");
        return GitServer.git(clone, "rev-parse", "HEAD");
    }

    @Test
    void rulesOfThePolicyHoldForTheRepositoryTheyAreWrittenFor() {
        Command.Result result =
                inSandbox(
                        "narrow",
                        "mkdir src deploy; echo 1 > src/a && git add -A && git commit -qm 1 && git push -q origin HEAD:bot/ok && echo FIRST-OK;"
                                + " git push origin HEAD:agent/x; git push origin HEAD:bot/a/b;"
                                + " echo 1 > deploy/a && git add -A && git commit -qm 2 && git push origin HEAD:bot/deploy; git reset -q --hard HEAD~1;"
                                + " echo 1 > top && git add -A && git commit -qm 3 && git push origin HEAD:bot/top; git reset -q --hard HEAD~1;"
                                + " head -c 2000 /dev/urandom > src/big && git add -A && git commit -qm 4 && git push origin HEAD:bot/big; git reset -q --hard HEAD~1;"
                                + " for i in 1 2 3 4; do git commit -q --allow-empty -m $i; done; git push origin HEAD:bot/many; git reset -q --hard HEAD~4;"
                                + " git -c user.email=x@evil.example commit -q --allow-empty -m 5 && git push origin HEAD:bot/author; git reset -q --hard HEAD~1;"
                                + " git reset -q --hard HEAD~1; git push -q --force origin HEAD:bot/ok && echo FORCE-OK; git push -q origin :bot/ok && echo DELETE-OK");

        assertThat(result.out()).contains("FIRST-OK", "FORCE-OK", "DELETE-OK");
        assertThat(result.err())
                .contains("agent/x (sallyport: ref-not-allowed)")
                .contains("bot/a/b (sallyport: ref-not-allowed)")
                .contains("bot/deploy (sallyport: path-not-allowed)")
                .contains("bot/top (sallyport: path-not-allowed)")
                .contains("bot/big (sallyport: file-too-large)")
                .contains("bot/many (sallyport: too-many-commits)")
                .contains("bot/author (sallyport: author-not-allowed)");
        assertThat(GitServer.git(narrow, "for-each-ref", "--format=%(refname)"))
                .isEqualTo("refs/heads/main\nrefs/heads/secret-plans");
        assertThat(pushesSent()).isEqualTo(3);
    }

    @Test
    void refsThatAreNotVisibleAreNotThere() {
        Command.Result result =
                inSandbox("narrow", "git ls-remote origin; curl -s gateway.sallyport/policy");

        assertThat(result.out())
                .contains("refs/heads/main")
                .contains("bot/*", "deploy/**")
                .doesNotContain("secret-plans");
    }

    /// In protocol version 0 upstream is asked for a pack by POST and for nothing else.
    @Test
    void aCloneAgainComesFromTheCopyOfTheConfinedGateway() {
        String clone = "git -c protocol.version=0 clone -q https://HOST/acme/app again$i";
        Command.Result result =
                inSandbox(
                        "app",
                        "cd ~ && for i in 1 2 3 4; do CLONE || exit 1; done && git -C again4 fsck"
                                .replace("CLONE", clone.replace("HOST", GitServer.HOST)));

        result.ok();
        assertThat(asked().stream().filter(line -> line.contains("POST")).count())
                .as("of five clones the first two ask for a pack, the second for the copy")
                .isLessThanOrEqualTo(4);
        assertThat(read(auditLog())).contains("git.copy");
    }

    @Test
    void thePersonSeesTheRulesAndTheRecordOfARefusal() {
        inSandbox(
                "app",
                "echo 1 > .gitlab-ci.yml && git add -A && git commit -qm x && git push origin HEAD:agent/x");

        String record = Files.exists(auditLog()) ? read(auditLog()) : "";
        assertThat(record).contains("path-not-allowed", ".gitlab-ci.yml");
        assertThat(sallyport.sallyport("audit", "verify").run().exit()).isZero();
    }

    @Test
    void aMistakeInThePolicyIsToldWithItsLineAndWhatToDo() {
        try (Installation other = Installation.bare(root.resolve("mistaken"))) {
            other.policy(
                    """
                    git:
                      - repo: github.com/acme/app
                        access: write
                        push: {brnches: ["agent/**"]}
                    """);

            Command.Result made =
                    other.sallyport("new", "--runtime", "bubblewrap", "--repo", "acme/app").run();

            assertThat(made.exit()).isNotZero();
            assertThat(made.err())
                    .contains("policy.yaml:4", "brnches is not a known key", "branches")
                    .doesNotContain("at dev.sallyport");
        }
    }

    private static Path auditLog() {
        return sallyport.home().resolve("audit/audit.jsonl");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
