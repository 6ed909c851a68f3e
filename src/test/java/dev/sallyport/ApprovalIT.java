package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Home;
import dev.sallyport.control.ApprovalsApi;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.WebServer;
import dev.sallyport.fixture.github.FakeGithub;
import dev.sallyport.sandbox.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What waits for a person, in a real sandbox with real git: it happens after a yes, and otherwise
/// not at all (G6).
class ApprovalIT {
    private static final String WEB = "asked.web.example";

    private static Path root;
    private static FakeGithub github;
    private static WebServer web;
    private static Installation sallyport;

    @BeforeAll
    static void start() throws IOException {
        root = Files.createTempDirectory("sp-ask");
        github = FakeGithub.start(root.resolve("github"));
        web = WebServer.start(root.resolve("web"), WEB);
        sallyport = installation(root.resolve("i"), "");
        sallyport
                .sallyport("new", "--name", "box", "--runtime", "bubblewrap", "--repo", "acme/app")
                .run()
                .ok();
        inside(
                        "git config --global user.name A && git config --global user.email a@test.example; cd ~ && git clone -q https://github.com/acme/app work")
                .ok();
    }

    private static Installation installation(Path directory, String more) throws IOException {
        Installation made = Installation.bare(directory).onlyProcesses();
        Files.copy(github.git().caFile(), made.home().resolve("github-ca.pem"));
        Files.copy(web.caFile(), made.home().resolve("web-ca.pem"));
        made.policy(
                """
                hosts:
                  - {name: github.com, kind: github, ca-file: github-ca.pem, dial: "%s"}
                git:
                  - repo: github.com/acme/app
                    access: write
                    push: {branches: ["agent/**", "free/**"], ask: {refs: ["refs/heads/agent/**"]}}
                    api: {pulls: write, ask: [pulls]}
                egress:
                  - {host: %s, ports: [443], ask: true, ca-file: web-ca.pem, dial: "%s"}
                %s
                """
                        .formatted(github.git().dial(), WEB, web.dial(), more));
        made.sallyport("secret", "set", "github").input(FakeGithub.TOKEN + "\n").run().ok();
        return made;
    }

    @AfterAll
    static void stop() {
        tmux("kill-server").run();
        sallyport.close();
        web.close();
        github.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    /// What a failed test left waiting.
    @AfterEach
    void answerAll() {
        waiting().forEach(view -> sallyport.sallyport("deny", view.id()).run());
    }

    private static Command.Result inside(String script) {
        return inside(sallyport, script);
    }

    private static Command.Result inside(Installation where, String script) {
        return where.sallyport("exec", "box", "--", "bash", "-c", script)
                .within(Duration.ofMinutes(5))
                .run();
    }

    private static CompletableFuture<Command.Result> begin(String script) {
        return CompletableFuture.supplyAsync(
                () -> inside(script), task -> Thread.ofPlatform().start(task));
    }

    private static Command.Result end(CompletableFuture<Command.Result> begun) throws Exception {
        return begun.get(5, TimeUnit.MINUTES);
    }

    private static List<ApprovalsApi.ApprovalView> waiting() {
        try (ControlClient warden = ControlClient.connect(new Home(sallyport.home()))) {
            return warden.approvals().approvals();
        } catch (ControlException e) {
            throw new AssertionError(e);
        }
    }

    /// The one question that is open; waits for it.
    private static String asked() {
        Await.until("a question", () -> waiting().size() == 1);
        return waiting().getFirst().id();
    }

    /// A yes to what is shown, as a script says it.
    private static Command approve(String id) {
        return sallyport.sallyport("approve", id, "--digest", waiting().getFirst().digest());
    }

    private static String push(String branch, String content) {
        return "cd ~/work && git checkout -q -B %1$s origin/main && echo %2$s > %2$s.txt && git add -A && git commit -qm %2$s && git push origin %1$s"
                .formatted(branch, content);
    }

    private static boolean isUpstream(String branch) {
        return github.refs().containsKey("acme/app refs/heads/" + branch)
                || !GitServer.git(github.bare("acme/app"), "for-each-ref", "refs/heads/" + branch)
                        .isEmpty();
    }

    private static String recorded() {
        return sallyport.sallyport("audit", "show").run().ok();
    }

    @Test
    void aPushWaitsAndIsUpstreamAfterAYes() throws Exception {
        CompletableFuture<Command.Result> push = begin(push("agent/yes", "wanted"));
        String id = asked();
        assertThat(isUpstream("agent/yes")).isFalse();
        assertThat(sallyport.sallyport("approvals").run().ok())
                .contains(id, "box", "push", "github.com/acme/app", "refs/heads/agent/yes");
        assertThat(sallyport.sallyport("approvals", "show", id).run().ok())
                .contains("because   ref refs/heads/agent/yes (rule refs/heads/agent/**)")
                .contains("wanted.txt", "+wanted", "sandbox   box");

        assertThat(approve(id).run().ok()).startsWith("Approved: create");
        Command.Result result = end(push);
        assertThat(result.exit()).as(result.err()).isZero();
        assertThat(result.err()).contains("waiting for a person: sallyport approve " + id);
        assertThat(isUpstream("agent/yes")).isTrue();
        assertThat(recorded())
                .containsSubsequence(
                        "approval.ask",
                        "approval=" + id,
                        "approval.answer",
                        "answer=yes",
                        "how=cli",
                        "who=" + System.getProperty("user.name"));
    }

    @Test
    void afterANoGitSaysWhyAndUpstreamHasNothing() throws Exception {
        CompletableFuture<Command.Result> push = begin(push("agent/no", "unwanted"));
        String id = asked();
        sallyport.sallyport("deny", id, "--note", "not today").run().ok();

        Command.Result result = end(push);
        assertThat(result.exit()).isNotZero();
        assertThat(result.err())
                .contains("approval-denied", "they said: not today", "Nothing was sent upstream");
        assertThat(isUpstream("agent/no")).isFalse();
        assertThat(waiting()).isEmpty();
    }

    @Test
    void whatNoRuleAsksAboutJustHappens() throws Exception {
        assertThat(inside(push("free/x", "free")).exit()).isZero();

        assertThat(waiting()).isEmpty();
        assertThat(isUpstream("free/x")).isTrue();
    }

    private static String curl(String more) {
        return "curl -sS -m 240 -w ' (%{http_code})' " + more;
    }

    private static long requestsTo(String path) {
        return web.requests().stream().filter(line -> line.contains(path)).count();
    }

    @Test
    void aRequestToAHostWaitsForAPerson() throws Exception {
        String url = "https://" + WEB + "/hello.txt?word=one";
        CompletableFuture<Command.Result> yes = begin(curl("-d body " + url));
        String id = asked();
        assertThat(requestsTo("word=one")).isZero();
        assertThat(sallyport.sallyport("approvals", "show", id).run().ok())
                .contains(
                        "POST https://" + WEB + "/hello.txt?word=one",
                        "body      4 bytes",
                        "\nbody");
        approve(id).run().ok();
        end(yes);
        assertThat(requestsTo("word=one")).isEqualTo(1);

        CompletableFuture<Command.Result> no =
                begin(curl("https://" + WEB + "/hello.txt?word=two"));
        sallyport.sallyport("deny", asked(), "-m", "no downloads").run().ok();
        assertThat(end(no).out()).contains("(403)", "approval-denied", "no downloads");
        assertThat(requestsTo("word=two")).isZero();
    }

    @Test
    void anOperationOfAnApiWaitsForAPerson() throws Exception {
        inside(push("free/pull", "pull")).ok();
        String open =
                curl(
                        "-H 'Content-Type: application/json' -d '{\"title\":\"Asked\",\"head\":\"free/pull\",\"base\":\"main\",\"body\":\"text\"}' https://api.github.com/repos/acme/app/pulls");
        int before = github.changes().size();
        CompletableFuture<Command.Result> no = begin(open);
        String first = asked();
        assertThat(sallyport.sallyport("approvals", "show", first).run().ok())
                .contains("pull-open in github.com/acme/app", "\"title\":\"Asked\"");
        sallyport.sallyport("deny", first).run().ok();
        assertThat(end(no).out()).contains("(403)", "a person was asked and said no");
        assertThat(github.changes()).hasSize(before);

        CompletableFuture<Command.Result> yes = begin(open);
        approve(asked()).run().ok();
        assertThat(end(yes).out()).contains("(201)");
        assertThat(github.changes()).hasSize(before + 1);
    }

    @Test
    void g6_anAnswerIsGoodOnceAndOnlyForWhatWasShown() throws Exception {
        CompletableFuture<Command.Result> push = begin(push("agent/once", "once"));
        String id = asked();
        Command.Result guessed = sallyport.sallyport("approve", "aaaaaaaaaa").run();
        Command.Result unseen = sallyport.sallyport("approve", id).run();
        Command.Result swapped =
                sallyport.sallyport("approve", id, "--digest", "0".repeat(64)).run();
        assertThat(guessed.exit()).isNotZero();
        assertThat(swapped.err()).contains("another question");
        assertThat(unseen.exit()).isNotZero();
        assertThat(unseen.err()).contains("nobody has seen", "--digest");
        assertThat(isUpstream("agent/once")).isFalse();
        assertThat(waiting()).hasSize(1);

        approve(id).run().ok();
        end(push);
        Command.Result again = sallyport.sallyport("approve", id).run();
        assertThat(again.exit()).isNotZero();
        assertThat(again.err()).contains("There is no open question with the id " + id);
        // The same branch with other content is another question.
        CompletableFuture<Command.Result> other =
                begin(
                        "cd ~/work && echo evil > evil.txt && git add -A && git commit -qm evil && git push origin agent/once");
        String second = asked();
        assertThat(second).isNotEqualTo(id);
        sallyport.sallyport("deny", second).run().ok();
        assertThat(end(other).exit()).isNotZero();
        assertThat(GitServer.git(github.bare("acme/app"), "ls-tree", "--name-only", "agent/once"))
                .contains("once.txt")
                .doesNotContain("evil.txt");
    }

    @Test
    void g6_nobodyInsideCanAnswer() throws Exception {
        CompletableFuture<Command.Result> push = begin(push("agent/inside", "inside"));
        String id = asked();
        String digest = waiting().getFirst().digest();
        String body =
                "{\"answer\":\"yes\",\"digest\":\"%s\",\"who\":\"me\",\"how\":\"cli\",\"note\":\"\"}"
                        .formatted(digest);
        String socket = sallyport.home().resolve("run/control.sock").toString();
        String tries =
                """
                ls -l %1$s
                curl -sS -m 60 --unix-socket %1$s -d '%2$s' http://x/v1/approvals/%3$s
                curl -sS -m 60 -d '%2$s' http://gateway.sallyport/v1/approvals/%3$s
                curl -sS -m 60 http://gateway.sallyport/v1/approvals
                curl -sS -m 60 -d '%2$s' http://127.0.0.1:3128/v1/approvals/%3$s
                find / -name control.sock -not -path '/proc/*' 2>/dev/null
                """
                        .formatted(socket, body, id);
        Command.Result tried = inside(tries);

        assertThat(tried.out()).doesNotContain("control.sock", "\"approvals\"", "\"answer\"");
        assertThat(push.isDone()).isFalse();
        assertThat(isUpstream("agent/inside")).isFalse();
        sallyport.sallyport("deny", id).run().ok();
        assertThat(end(push).exit()).isNotZero();
        assertThat(isUpstream("agent/inside")).isFalse();
    }

    @Test
    void g6_aGatewayThatDiesHasNoQuestions() throws Exception {
        CompletableFuture<Command.Result> push = begin(push("agent/dies", "dies"));
        String id = asked();
        Command.of("kill", "-9", Long.toString(gateway())).run().ok();

        assertThat(end(push).exit()).isNotZero();
        Await.until(() -> waiting().isEmpty());
        assertThat(sallyport.sallyport("approve", id).run().exit()).isNotZero();
        assertThat(isUpstream("agent/dies")).isFalse();
    }

    private static long gateway() throws ControlException {
        try (ControlClient warden = ControlClient.connect(new Home(sallyport.home()))) {
            return warden.status().gatewayPid();
        }
    }

    @Test
    void g6_afterItsTimeItIsNo() throws Exception {
        try (Installation hasty =
                installation(root.resolve("hasty"), "limits: {approvals: {wait-seconds-max: 1}}")) {
            hasty.sallyport("new", "--name", "box", "--runtime", "bubblewrap", "--repo", "acme/app")
                    .run()
                    .ok();
            Command.Result late =
                    inside(
                            hasty,
                            "git config --global user.name A && git config --global user.email a@test.example; cd ~ && git clone -q https://github.com/acme/app work; "
                                    + push("agent/late", "late"));

            assertThat(late.exit()).isNotZero();
            assertThat(late.err()).contains("approval-expired");
            assertThat(isUpstream("agent/late")).isFalse();
            assertThat(hasty.sallyport("audit", "show").run().ok())
                    .containsSubsequence("approval.answer", "answer=none", "how=expired");
        }
    }

    @Test
    void peopleAndAgentsAreToldThatSomebodyIsAsked() {
        assertThat(sallyport.sallyport("policy", "explain", "acme/app").run().out())
                .contains("a person is asked first (a push: refs [refs/heads/agent/**])");
        assertThat(sallyport.sallyport("policy", "explain", "https://" + WEB + "/x").run().out())
                .contains("a person is asked first (every request)");
        assertThat(inside("curl -s http://gateway.sallyport/policy").out())
                .contains("pushes that wait for a person: refs [refs/heads/agent/**]")
                .contains("each request: waits until a person says yes")
                .contains("operations that wait for a person: pulls");
        assertThat(sallyport.sallyport("show", "box").run().out())
                .contains("ask: refs refs/heads/agent/**");
    }

    private static Command tmux(String... arguments) {
        List<String> argv =
                new ArrayList<>(
                        List.of("tmux", "-f", "/dev/null", "-S", root.resolve("t").toString()));
        argv.addAll(List.of(arguments));
        return Command.of(argv);
    }

    private static String screen() {
        return tmux("capture-pane", "-p").run().out();
    }

    @Test
    void aPersonLooksAndAnswersInWatch() throws Exception {
        String command =
                ShellWords.quote(
                        List.of(Path.of("sallyport").toAbsolutePath().toString(), "watch"));
        Path told = root.resolve("told");
        Path notify = Files.createDirectories(root.resolve("bin")).resolve("notify-send");
        Files.writeString(notify, "#!/bin/sh\necho \"$@\" >> " + told + "\n");
        Files.setPosixFilePermissions(notify, PosixFilePermissions.fromString("rwxr-xr-x"));
        tmux("new-session", "-d", "-x", "110", "-y", "40", command)
                .with("SALLYPORT_HOME", sallyport.home().toString())
                .with("PATH", notify.getParent() + ":" + System.getenv("PATH"))
                .run()
                .ok();
        Await.until(() -> screen().contains("sallyport watch"));
        CompletableFuture<Command.Result> push = begin(push("agent/watched", "watched"));
        Await.until(() -> screen().contains("? box wants: create refs/heads/agent/watched"));

        tmux("send-keys", "v").run().ok();
        Await.until(() -> screen().contains("+watched") && screen().contains("y yes"));
        assertThat(isUpstream("agent/watched")).isFalse();
        tmux("send-keys", "y").run().ok();
        Await.until(() -> screen().contains("approved: create refs/heads/agent/watched"));
        assertThat(end(push).exit()).isZero();
        assertThat(isUpstream("agent/watched")).isTrue();
        assertThat(recorded()).contains("how=watch");
        assertThat(told).content().isEqualTo("Sallyport A sandbox waits for your answer.\n");
        tmux("send-keys", "q").run().ok();
    }
}
