package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.StockAgents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Stock libraries for GitHub inside a sandbox, unmodified and without a token: Octokit, and a
/// server for MCP.
class GithubLibrariesIT {
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
        rig.checkOut();
    }

    @AfterAll
    static void stop() {
        rig.close();
    }

    private static Command.Result node(String script) throws IOException {
        Path file = Files.writeString(rig.sallyport().workspace().resolve("script.mjs"), script);
        Command.Result result = rig.inside("node " + file);
        GithubRig.assertHarmless(result.all());
        return result;
    }

    @Test
    void octokitOpensAPullRequestAndIsRefusedAMerge() throws IOException {
        rig.branch("agent/octokit");
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
        Map<String, Object> arguments = new HashMap<>(more);
        arguments.put("owner", "acme");
        arguments.put("repo", "app");
        return Map.of("name", tool, "arguments", arguments);
    }

    @Test
    void anMcpServerReadsAndOpensAPullRequest() throws IOException {
        rig.branch("agent/mcp");
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
