package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.github.FakeGithub;
import dev.sallyport.sandbox.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/// A GitHub under its own names, an installation that holds a token for it, and a sandbox with
/// `acme/app`, whose API rules are as wide as rules can be.
final class GithubRig implements AutoCloseable {
    /// What must never be seen inside, whatever is asked.
    private static final List<String> FORBIDDEN =
            List.of(
                    FakeGithub.TOKEN,
                    FakeGithub.MARKER,
                    FakeGithub.CLONE_TOKEN,
                    FakeGithub.RAW_TOKEN,
                    FakeGithub.SIGNATURE);

    private final Path root;
    private final FakeGithub github;
    private final Installation sallyport;

    /// What there was at a moment, to be compared with another.
    record Moment(List<String> changes, SortedMap<String, String> refs, int requests) {}

    /// @param more options of the sandbox
    GithubRig(String... more) throws IOException {
        root = Files.createTempDirectory("sp-door");
        github = FakeGithub.start(root.resolve("github"));
        sallyport = Installation.bare(root.resolve("i"));
        Files.copy(github.git().caFile(), sallyport.home().resolve("github-ca.pem"));
        sallyport.policy(
                """
                hosts:
                  - name: github.com
                    kind: github
                    ca-file: github-ca.pem
                    dial: "%s"
                git:
                  - repo: github.com/acme/app
                    access: write
                    api: {read: read, checks: read, pulls: write, issues: write, reviewers: [bob]}
                """
                        .formatted(github.git().dial()));
        sallyport.sallyport("secret", "set", "github").input(FakeGithub.TOKEN + "\n").run().ok();
        List<String> start =
                new ArrayList<>(
                        List.of(
                                "new",
                                "--name",
                                "box",
                                "--runtime",
                                "bubblewrap",
                                "--ephemeral-home",
                                "--repo",
                                "acme/app"));
        start.addAll(List.of(more));
        sallyport.sallyport(start.toArray(String[]::new)).run().ok();
    }

    FakeGithub github() {
        return github;
    }

    Installation sallyport() {
        return sallyport;
    }

    /// Makes a clone in `~/work`.
    void checkOut() {
        inside(
                        """
                        git config --global user.name A && git config --global user.email a@test.example
                        cd ~ && git clone -q https://github.com/acme/app work
                        """)
                .ok();
    }

    /// A branch upstream that this sandbox may push, with one commit.
    void branch(String name) {
        inside(
                        "cd ~/work && git checkout -q -B %s origin/main && echo %s > new.txt && git add -A && git commit -qm work && git push -qu origin %s"
                                .formatted(name, name, name))
                .ok();
    }

    /// Runs a shell script in the sandbox.
    Command.Result inside(String script) {
        return sallyport
                .sallyport("exec", "box", "--", "bash", "-c", script)
                .within(Duration.ofMinutes(5))
                .run();
    }

    /// The command that asks the API from inside, and says the status after the answer.
    static String curl(String method, String path, String body) {
        List<String> argv =
                new ArrayList<>(List.of("curl", "-s", "-w", " (%{http_code})\n", "-X", method));
        if (!body.isEmpty()) {
            argv.addAll(List.of("-H", "Content-Type: application/json", "-d", body));
        }
        argv.add("https://api.github.com" + path);
        return ShellWords.quote(argv);
    }

    /// The same for lines of a method, a path and perhaps a body.
    static List<String> rest(String lines) {
        return lines.lines()
                .map(line -> line.split(" ", 3))
                .map(words -> curl(words[0], words[1], words.length < 3 ? "" : words[2]))
                .toList();
    }

    /// The same for lines of which each is what stands between the brackets of a query.
    static List<String> queries(String lines) {
        return lines.lines().map(line -> graphql("{" + line + "}")).toList();
    }

    static List<String> mutations(String lines) {
        return lines.lines().map(line -> graphql("mutation{" + line + "}")).toList();
    }

    static String graphql(String query) {
        return curl("POST", "/graphql", json(Map.of("query", query)));
    }

    static String json(Object value) {
        try {
            return new ObjectMapper().writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    Moment now() {
        return new Moment(github.changes(), github.refs(), github.requests().size());
    }

    List<FakeGithub.Seen> since(Moment moment) {
        List<FakeGithub.Seen> all = github.requests();
        return all.subList(moment.requests(), all.size());
    }

    /// Runs commands of which none may change a thing or bring anything foreign back; returns what
    /// they said, line by line.
    List<String> inVain(List<String> commands) {
        Moment before = now();
        String said = inside(String.join("\n", commands)).out();
        assertThat(github.changes()).as(said).isEqualTo(before.changes());
        assertThat(github.refs()).as(said).isEqualTo(before.refs());
        assertHarmless(said);
        return said.lines().toList();
    }

    /// A question of the gateway's own may have gone up, but nothing that changes a thing.
    void assertNoWriteSince(Moment moment) {
        assertThat(since(moment))
                .allSatisfy(
                        seen -> {
                            assertThat(seen.line()).matches("GET .*|POST /graphql");
                            assertThat(seen.body()).doesNotContain("mutation");
                        });
    }

    static void assertHarmless(String said) {
        assertThat(said).doesNotContain(FORBIDDEN);
    }

    @Override
    public void close() {
        sallyport.close();
        github.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }
}
