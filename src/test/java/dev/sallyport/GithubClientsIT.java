package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.StockAgents;
import dev.sallyport.fixture.github.FakeGithub;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Stock clients of GitHub inside a sandbox, unmodified and without a token: Debian's gh, Octokit,
/// and a server for MCP.
class GithubClientsIT {
    private static GithubRig rig;
    private static Path rest;
    private static Path graphql;
    private static Path mcp;

    @BeforeAll
    static void start() throws IOException {
        rest = StockAgents.install(StockAgents.OCTOKIT_REST).getParent();
        graphql = StockAgents.install(StockAgents.OCTOKIT_GRAPHQL).getParent();
        mcp = StockAgents.install(StockAgents.GITHUB_MCP).getParent();
        rig =
                new GithubRig(
                        "--mount",
                        rest.toString(),
                        "--mount",
                        graphql.toString(),
                        "--mount",
                        mcp.toString());
        rig.inside(
                        """
                        git config --global user.name A && git config --global user.email a@test.example
                        cd ~ && git clone -q https://github.com/acme/app work
                        """)
                .ok();
    }

    @AfterAll
    static void stop() {
        rig.close();
    }

    private static Command.Result gh(String arguments) {
        Command.Result result = rig.inside("cd ~/work && gh " + arguments);
        GithubRig.assertHarmless(result.all());
        return result;
    }

    /// A branch upstream that this sandbox may push, with one commit.
    private static void branch(String name) {
        rig.inside(
                        "cd ~/work && git checkout -q -B %s origin/main && echo %s > new.txt && git add -A && git commit -qm work && git push -qu origin %s"
                                .formatted(name, name, name))
                .ok();
    }

    @Test
    void ghIsLoggedInWithoutALogin() {
        Command.Result status = gh("auth status");
        assertThat(status.exit()).as(status.all()).isZero();
        assertThat(status.all()).contains("Logged in to github.com").doesNotContain("error");
    }

    @Test
    void ghSetsGitUpWithoutHarm() {
        gh("auth setup-git").ok();
        rig.inside("cd ~ && rm -rf again && git clone -q https://github.com/acme/app again").ok();
        rig.inside("cd ~ && rm -rf third && gh repo clone acme/app third && git -C third status")
                .ok();
    }

    @Test
    void ghReadsPullRequests() {
        assertThat(gh("pr list").ok()).contains("A feature").contains("Earlier work");
        assertThat(gh("pr list --author bob").ok()).contains("A feature").doesNotContain("Earlier");
        assertThat(gh("pr view 2").ok()).contains("A feature").contains("Please review.");
        assertThat(gh("pr view 2 --comments").ok()).contains("Hm.");
        assertThat(gh("pr view 3 --json title,headRepository,headRepositoryOwner,files").ok())
                .contains("From a fork")
                .contains("patch.txt");
        assertThat(gh("pr diff 2").ok()).contains("+by bob");
        assertThat(gh("pr checks 4").all()).contains("build").contains("pass");
        assertThat(gh("pr checks 2").all()).contains("build").contains("fail");
        assertThat(gh("pr status").ok()).contains("Relevant pull requests in acme/app");
        assertThat(gh("repo view").ok()).contains("What people work on");
    }

    /// gh names its fields itself when none is given.
    @Test
    void ghShowsEveryFieldItKnows() {
        String all =
                """
                fields() { gh "$@" --json 2>&1 | sed -n 's/^  //p' | paste -sd, ; }
                cd ~/work
                gh pr view 2 --json "$(fields pr view)" && gh pr list --json "$(fields pr list)" && gh issue view 1 --json "$(fields issue view)" \\
                  && gh repo view --json "$(fields repo view)" && gh run list --json "$(fields run list)"
                """;
        String said = rig.inside(all).ok();

        assertThat(said)
                .contains("A feature")
                .contains("It is broken")
                .contains("viewerPermission");
        GithubRig.assertHarmless(said);
    }

    @Test
    void ghReadsIssuesAndCommentsOnThem() {
        assertThat(gh("issue list").ok()).contains("It is broken");
        assertThat(gh("issue list --label bug").ok()).contains("It is broken");
        assertThat(gh("issue view 1").ok()).contains("Since yesterday.");
        assertThat(gh("issue view 1 --comments").ok()).contains("I can see it, too.");
        assertThat(gh("issue comment 1 --body 'It will be mended.'").ok())
                .contains("#issuecomment-");
        assertThat(gh("issue view 1 --json comments").ok()).contains("It will be mended.");
    }

    @Test
    void ghReadsRunsAndTheirLogs() {
        long run = rig.github().run("acme", "app", "main");
        assertThat(gh("run list").ok()).contains("Work on main");
        assertThat(gh("run view " + run).ok()).contains("build");
        assertThat(gh("run view --log " + run).ok()).contains("all is well");
        assertThat(
                        gh("run download "
                                        + run
                                        + " --dir ~/artifact && cat ~/artifact/report/build/1_test.txt")
                                .all())
                .contains("all is well");
    }

    @Test
    void ghAsksTheApiAndTurnsPages() {
        assertThat(gh("api repos/acme/app/pulls/4 --jq .title").ok()).isEqualTo("Earlier work");
        assertThat(
                        gh("api 'repos/acme/app/pulls?state=all&per_page=1' --paginate --jq '.[].number'")
                                .ok()
                                .lines())
                .contains("2", "3", "4");
        assertThat(gh("api 'repos/acme/app/branches/bob%2Ffeature' --jq .name").ok())
                .isEqualTo("bob/feature");
        assertThat(gh("api graphql -f query='{viewer{login}}'").ok()).contains("login");
    }

    @Test
    void ghSaysWhyWhenItIsRefused() {
        int before = rig.github().changes().size();
        Command.Result merge = gh("pr merge 4 --merge");
        Command.Result foreign = gh("pr list -R other/secret");
        Command.Result approve = gh("pr review 2 --approve");

        assertThat(merge.exit()).isNotZero();
        assertThat(merge.err()).containsIgnoringCase("merge");
        assertThat(foreign.exit()).isNotZero();
        assertThat(foreign.err()).contains("Could not resolve to a Repository");
        assertThat(approve.exit()).isNotZero();
        assertThat(rig.github().changes()).hasSize(before);
    }

    /// The whole way of an agent, and then a search for what it must not hold.
    @Test
    void P1_ghGoesFromACloneToAReviewedPullRequestWithoutAToken() throws IOException {
        String pair = "x-access-token:" + FakeGithub.TOKEN;
        Path needles =
                Files.writeString(
                        rig.sallyport().workspace().resolve("needles"),
                        FakeGithub.TOKEN
                                + "\n"
                                + encoded(FakeGithub.TOKEN)
                                + "\n"
                                + encoded(pair)
                                + "\n");
        Command.Result result =
                rig.inside(
                        """
                        set -e; trap 'tail -c 4000 ~/trace >&2' ERR; cd ~; rm -rf way; export GH_DEBUG=api GIT_TRACE_CURL=1
                        gh repo clone acme/app way > trace 2>&1; cd way
                        git checkout -q -b agent/way; echo mended > way.txt; git add -A; git commit -qm 'Mend it'
                        git push -u origin agent/way >> ../trace 2>&1
                        gh pr create --title 'Mend it' --body 'It was broken.' --draft --reviewer bob > ../url 2>> ../trace
                        gh pr ready >> ../trace 2>&1
                        gh pr edit --title 'Mend it well' --body 'It was badly broken.' >> ../trace 2>&1
                        gh pr comment --body 'All tests pass.' >> ../trace 2>&1
                        gh pr view >> ../trace 2>&1
                        env > ../environment; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline > ../processes 2>/dev/null || true
                        grep -raFl -f %s ~ /etc /tmp /run /var 2>/dev/null || true
                        cat ../url
                        """
                                .formatted(needles));
        Files.delete(needles);

        List<String> said = result.ok().lines().toList();
        assertThat(said).as("the search finds its own words, and nothing else").hasSize(2);
        assertThat(said.getFirst()).isEqualTo(needles.toString());
        assertThat(said.getLast()).matches("https://github.com/acme/app/pull/\\d+");
        String number = said.getLast().replaceFirst(".*/", "");
        assertThat(
                        gh("pr view "
                                        + number
                                        + " --json title,body,isDraft,headRefName,reviewRequests")
                                .ok())
                .contains("Mend it well")
                .contains("It was badly broken.")
                .contains("\"isDraft\":false")
                .contains("agent/way")
                .contains("bob");
        assertThat(GitServer.git(rig.github().bare("acme/app"), "show", "agent/way:way.txt"))
                .isEqualTo("mended");
        assertThat(Files.readString(rig.github().git().caFile().resolveSibling("access.log")))
                .as("control: the token was used all the while")
                .contains(encoded(pair));
    }

    private static String encoded(String text) {
        return Base64.getEncoder()
                .encodeToString(text.getBytes(StandardCharsets.UTF_8))
                .replace("=", "");
    }

    private static Command.Result node(String script) throws IOException {
        Path file = Files.writeString(rig.sallyport().workspace().resolve("script.mjs"), script);
        Command.Result result = rig.inside("node " + file);
        GithubRig.assertHarmless(result.all());
        return result;
    }

    @Test
    void octokitOpensAPullRequestAndIsRefusedAMerge() throws IOException {
        branch("agent/octokit");
        int before = rig.github().changes().size();
        Command.Result result =
                node(
                        """
                        import { Octokit } from "%s/@octokit/rest/dist-src/index.js";
                        const octokit = new Octokit({auth: process.env.GITHUB_TOKEN});
                        const at = {owner: "acme", repo: "app"};
                        const made = await octokit.rest.pulls.create({...at, head: "agent/octokit", base: "main", title: "By Octokit", body: "Hello."});
                        const all = await octokit.paginate(octokit.rest.pulls.list, {...at, state: "all", per_page: 2});
                        await octokit.rest.issues.createComment({...at, issue_number: made.data.number, body: "Ready."});
                        const branch = await octokit.rest.repos.getBranch({...at, branch: "agent/octokit"});
                        const file = await octokit.rest.repos.getContent({...at, path: "new.txt", ref: "agent/octokit"});
                        let refused = 0;
                        try { await octokit.rest.pulls.merge({...at, pull_number: made.data.number}); } catch (e) { refused = e.status; }
                        console.log(made.data.title, all.length >= 4, branch.data.name, Buffer.from(file.data.content, "base64").toString().trim(), refused);
                        """
                                .formatted(rest));

        assertThat(result.ok()).isEqualTo("By Octokit true agent/octokit agent/octokit 403");
        List<String> all = rig.github().changes();
        assertThat(all.subList(before, all.size()))
                .hasSize(2)
                .allMatch(change -> change.startsWith("POST acme/app/"));
    }

    @Test
    void octokitAsksByGraphql() throws IOException {
        Command.Result result =
                node(
                        """
                        import { graphql } from "%s/@octokit/graphql/dist-bundle/index.js";
                        const ask = graphql.defaults({headers: {authorization: `token ${process.env.GITHUB_TOKEN}`}});
                        const found = await ask(
                          `query ($owner: String!, $name: String!, $n: Int = 9) { repository(owner: $owner, name: $name) {
                             pullRequests(first: $n, states: [OPEN]) { nodes { ...p } } } } fragment p on PullRequest { number title author { login } }`,
                          {owner: "acme", name: "app"});
                        console.log(found.repository.pullRequests.nodes.map(pull => pull.title).join("; "));
                        try { await ask(`{repository(owner: "other", name: "secret") {id}}`); console.log("found"); } catch (e) { console.log("refused"); }
                        """
                                .formatted(graphql));

        assertThat(result.ok()).contains("A feature").contains("Earlier work").endsWith("refused");
    }

    private static String request(int id, String method, Object parameters) {
        return GithubRig.json(
                Map.of("jsonrpc", "2.0", "id", id, "method", method, "params", parameters));
    }

    /// One process that is asked for each tool in turn; returns its answers.
    private static String mcp(List<Map<String, Object>> calls) throws IOException {
        String opening =
                request(
                        0,
                        "initialize",
                        Map.of(
                                "protocolVersion", "2024-11-05",
                                "capabilities", Map.of(),
                                "clientInfo", Map.of("name", "test", "version", "1")));
        String asked =
                IntStream.range(0, calls.size())
                        .mapToObj(i -> request(i + 1, "tools/call", calls.get(i)))
                        .collect(Collectors.joining("\n"));
        String ready = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
        Path file =
                Files.writeString(
                        rig.sallyport().workspace().resolve("asked"),
                        opening + "\n" + ready + "\n" + asked + "\n");
        String said = rig.inside(mcp + "/.bin/mcp-server-github < " + file).ok();
        GithubRig.assertHarmless(said);
        return said;
    }

    private static Map<String, Object> call(String tool, Map<String, Object> more) {
        Map<String, Object> arguments = new java.util.HashMap<>(more);
        arguments.put("owner", "acme");
        arguments.put("repo", "app");
        return Map.of("name", tool, "arguments", arguments);
    }

    @Test
    void anMcpServerReadsAndOpensAPullRequest() throws IOException {
        branch("agent/mcp");
        String said =
                mcp(
                        List.of(
                                call("get_pull_request", Map.of("pull_number", 4)),
                                call("get_pull_request_files", Map.of("pull_number", 3)),
                                call("get_pull_request_status", Map.of("pull_number", 4)),
                                call("list_issues", Map.of("state", "open")),
                                call(
                                        "get_file_contents",
                                        Map.of("path", "README.md", "branch", "main")),
                                call(
                                        "create_pull_request",
                                        Map.of(
                                                "title",
                                                "By MCP",
                                                "head",
                                                "agent/mcp",
                                                "base",
                                                "main",
                                                "body",
                                                "Hello."))));

        assertThat(said)
                .contains("Earlier work")
                .contains("patch.txt")
                .contains("It is broken")
                .contains("By MCP")
                .doesNotContain("isError\":true")
                .doesNotContain("\"error\"");
        assertThat(rig.github().changes()).contains("POST acme/app/pulls");
    }

    @Test
    void anMcpServerIsRefusedWhatAPushWouldBe() throws IOException {
        List<String> before = rig.github().changes();
        String said =
                mcp(
                        List.of(
                                call("merge_pull_request", Map.of("pull_number", 4)),
                                call("create_branch", Map.of("branch", "agent/by-api")),
                                call(
                                        "create_or_update_file",
                                        Map.of(
                                                "path", "x", "content", "x", "message", "m",
                                                "branch", "main")),
                                call(
                                        "create_pull_request_review",
                                        Map.of(
                                                "pull_number",
                                                2,
                                                "event",
                                                "APPROVE",
                                                "body",
                                                "ok"))));

        assertThat(
                        said.lines()
                                .filter(
                                        line ->
                                                line.contains("\"error\"")
                                                        || line.contains("isError")))
                .hasSize(4);
        assertThat(rig.github().changes()).isEqualTo(before);
    }
}
