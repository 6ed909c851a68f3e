package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The product from the outside: the launcher, real sandboxes, real git, a real server behind TLS
/// and a token.
class FirstMinuteIT {
    private static final String URL = "https://" + GitServer.HOST + "/acme/app";
    private static final String IDENTITY =
            "git config --global user.name A && git config --global user.email a@test.example;";

    private static Path root;
    private static GitServer server;
    private static Installation sallyport;
    private static Path app;

    private int before;

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-first");
        server = GitServer.start(Files.createDirectory(root.resolve("server")));
        app = server.repository("acme", "app");
        server.repository("acme", "other");
        sallyport = Installation.with(root.resolve("i"), server).onlyProcesses();
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

    private static List<String> since(int count) {
        List<String> all = server.requests();
        return all.subList(count, all.size());
    }

    @Test
    void clonesAPrivateRepositoryWithTheSameObjectIds() {
        Command.Result result =
                sallyport.inSandbox(
                        "acme/app",
                        "cd ~ && git clone -q " + URL + " && git -C app rev-parse HEAD");

        assertThat(result.ok()).isEqualTo(GitServer.git(app, "rev-parse", "main"));
    }

    /// The host can do what the sandbox cannot: so it is the sandbox that keeps it from it.
    @Test
    void aCommandMakesNoNamespaceOfItsOwn() {
        String attempt = "unshare --user --map-root-user --net true";
        Command.of("bash", "-c", attempt).run().ok();

        assertThat(sallyport.inSandbox("acme/app", attempt).exit()).isNotZero();
        assertThat(sallyport.inSandbox("acme/app", "grep Seccomp: /proc/self/status").ok())
                .isEqualTo("Seccomp:\t2");
    }

    @Test
    void pushesToAnAgentBranchTwiceAndTheCommitsArriveUpstream() {
        String script =
                IDENTITY
                        + "cd ~ && git clone -q "
                        + URL
                        + " && cd app && git checkout -q -b agent/one"
                        + " && echo 1 > f && git add f && git commit -qm one && git push -q origin agent/one"
                        + " && echo 2 > f && git commit -qam two && git push -q origin agent/one && git rev-parse HEAD";

        Command.Result result = sallyport.inSandbox("acme/app", script);

        assertThat(result.ok()).isEqualTo(GitServer.git(app, "rev-parse", "agent/one"));
    }

    @Test
    void G1_refusesAPushWholeWhenOneOfItsRefsIsNotAllowedInAnyOrder() {
        String main = GitServer.git(app, "rev-parse", "main");
        String script =
                IDENTITY
                        + "cd ~ && git clone -q "
                        + URL
                        + " && cd app && git commit -q --allow-empty -m x;"
                        + "git push origin HEAD:refs/heads/agent/g1 HEAD:main; git push origin HEAD:main HEAD:refs/heads/agent/g1;"
                        + "git push origin HEAD:refs/tags/v1 HEAD:refs/heads/agent/g1; git push origin HEAD:refs/notes/commits;"
                        + "git push origin HEAD:refs/replace/x; git push origin HEAD:refs/pull/1/head";

        Command.Result result = sallyport.inSandbox("acme/app", script);

        assertThat(result.err()).contains("[remote rejected]").contains("agent/**");
        assertThat(GitServer.git(app, "rev-parse", "main")).isEqualTo(main);
        assertThat(GitServer.git(app, "for-each-ref", "--format=%(refname)"))
                .doesNotContain("g1")
                .doesNotContain("tags")
                .doesNotContain("notes")
                .doesNotContain("replace")
                .doesNotContain("pull");
        assertThat(since(before))
                .noneMatch(line -> line.startsWith("POST /acme/app.git/git-receive-pack"));
    }

    @Test
    void answersTheSameForADeniedAndForAMissingRepository() {
        String probe =
                "curl -s -w '%{http_code} %{content_type}' http://gateway.sallyport/git/HOST/acme/NAME.git/info/refs?service=git-upload-pack"
                        .replace("HOST", GitServer.HOST);
        String script =
                probe.replace("NAME", "other")
                        + "; echo; echo ---; "
                        + probe.replace("NAME", "missing");

        String[] answers =
                sallyport
                        .inSandbox("acme/app", script)
                        .ok()
                        .replaceAll("[0-9a-f]{12,}", "ID")
                        .split("---", -1);

        assertThat(answers[0].strip()).isEqualTo(answers[1].strip()).contains("403");
        assertThat(since(before)).isEmpty();
    }

    @Test
    void tellsOnlyWhoHasAGrantThatARepositoryDoesNotExist() {
        String probe =
                "curl -s -w '%{http_code} %{content_type}' http://gateway.sallyport/git/HOST/acme/NAME.git/info/refs?service=git-upload-pack"
                        .replace("HOST", GitServer.HOST);

        String denied = sallyport.inSandbox("acme/app", probe.replace("NAME", "ghost")).ok();
        String granted = sallyport.inSandbox("acme/ghost", probe.replace("NAME", "ghost")).ok();

        assertThat(denied).contains("reason: repo-unavailable").contains("403 text/plain");
        assertThat(granted).contains("reason: repo-not-found").contains("404 text/plain");
        assertThat(since(before))
                .as("with and without .git, for the grant alone")
                .hasSizeBetween(1, 2)
                .allSatisfy(line -> assertThat(line).contains("ghost"));
    }

    @Test
    void readGrantCannotPush() {
        Command.Result result =
                sallyport.inSandbox(
                        "acme/app:read",
                        IDENTITY
                                + "cd ~ && git clone -q "
                                + URL
                                + " && cd app && git commit -q --allow-empty -m x"
                                + " && git push origin HEAD:refs/heads/agent/readonly");

        assertThat(result.exit()).isNotZero();
        assertThat(GitServer.git(app, "for-each-ref")).doesNotContain("readonly");
        assertThat(since(before)).noneMatch(line -> line.contains("git-receive-pack"));
    }

    @Test
    void P1_tokenIsNowhereInTheSandbox() throws IOException {
        String pair = GitServer.USER + ":" + GitServer.TOKEN;
        String needles =
                GitServer.TOKEN
                        + "\n"
                        + Base64.getEncoder()
                                .encodeToString(GitServer.TOKEN.getBytes(StandardCharsets.UTF_8))
                                .replace("=", "")
                        + "\n"
                        + Base64.getEncoder()
                                .encodeToString(pair.getBytes(StandardCharsets.UTF_8))
                                .replace("=", "")
                        + "\n";
        Path pattern = Files.writeString(sallyport.workspace().resolve("needles"), needles);
        String script =
                "cd ~ && export GIT_TRACE_CURL=1 GIT_TRACE_PACKET=1 GIT_TRACE=1 && git clone "
                        + URL
                        + " > trace 2>&1;"
                        + "env > environment; git config --list --show-origin > config; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline > processes 2>/dev/null;"
                        + "grep -raFl --exclude=needles -f "
                        + pattern
                        + " ~ /etc /tmp /run /var processes 2>/dev/null; echo searched; wc -c < processes";

        String out = sallyport.inSandbox("acme/app", script).ok();
        String control =
                Command.of(
                                "grep",
                                "-rlF",
                                "-f",
                                pattern.toString(),
                                sallyport.home().resolve("secrets").toString())
                        .run()
                        .all();
        Files.delete(pattern);

        assertThat(out).startsWith("searched");
        assertThat(control)
                .as("positive control: the same search finds it on the host")
                .contains("test");
    }

    @Test
    void I6_E15_nothingTheSandboxSendsAsItsOwnCredentialReachesUpstream() {
        sallyport.inSandbox(
                "acme/app",
                "cd ~ && for url in URL https://mine@HOST/acme/app; do git -c http.extraHeader='Authorization: Bearer mine' -c http.extraHeader='Cookie: mine=1'"
                                .replace("URL", URL)
                                .replace("HOST", GitServer.HOST)
                        + " -c http.extraHeader='X-Forwarded-Host: evil.example' -c http.userAgent=spy/1 clone -q $url $RANDOM; done");

        assertThat(since(before))
                .isNotEmpty()
                .allSatisfy(
                        line ->
                                assertThat(line)
                                        .doesNotContain("mine")
                                        .doesNotContain("spy")
                                        .contains(GitServer.HOST));
    }

    @Test
    void P9_onlyLoopbackExistsAndTheUpstreamCannotBeReachedDirectly() {
        String connect =
                "timeout 60 bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d' && echo open || echo closed"
                        .formatted(server.port());

        String inside =
                sallyport
                        .inSandbox(
                                "acme/app",
                                "ls /sys/class/net 2>/dev/null; cat /proc/net/dev | tail -n +3 | cut -d: -f1; "
                                        + connect)
                        .ok();
        String outside = Command.of("bash", "-c", connect).run().ok();

        assertThat(inside.strip().lines().map(String::strip)).containsExactly("lo", "closed");
        assertThat(outside).as("positive control").isEqualTo("open");
    }

    @Test
    void E5_namesOutsideThePolicyDoNotResolve() {
        String out =
                sallyport
                        .inSandbox(
                                "acme/app",
                                "getent ahostsv4 gateway.sallyport | head -1; getent ahostsv4 "
                                        + GitServer.HOST
                                        + " | head -1;"
                                        + " getent hosts leak.attacker.example; echo $?")
                        .ok();

        assertThat(out.lines().toList().get(0)).startsWith("127.0.0.1");
        assertThat(out.lines().toList().get(1))
                .matches("127\\.(6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\\..*");
        assertThat(out.lines().toList().getLast()).isEqualTo("2");
    }

    @Test
    void tellsTheAgentWhatItMayDo() {
        String out =
                sallyport
                        .inSandbox(
                                "acme/app",
                                "curl -s http://gateway.sallyport/policy; curl -s -H 'Accept: application/json' http://gateway.sallyport/policy")
                        .ok();

        assertThat(out).contains(GitServer.HOST + "/acme/app").contains("agent/**");
    }

    @Test
    void lfsGetsAClearAnswer() {
        String out =
                sallyport
                        .inSandbox(
                                "acme/app",
                                "curl -s -w '%{http_code}' -X POST -H 'Content-Type: application/vnd.git-lfs+json' -d '{}' http://gateway.sallyport/git/HOST/acme/app.git/info/lfs/objects/batch"
                                        .replace("HOST", GitServer.HOST))
                        .ok();

        assertThat(out).contains("the request body is malformed").endsWith("400");
    }

    @Test
    void passesExitCodesAndPipes() {
        Command.Result exit = sallyport.inSandbox("acme/app", "exit 37");
        Command.Result killed = sallyport.inSandbox("acme/app", "kill -TERM $$");
        Command.Result pipe =
                sallyport
                        .sallyport(
                                "run",
                                "--runtime",
                                "bubblewrap",
                                "--no-repo",
                                "--",
                                "tr",
                                "a-z",
                                "A-Z")
                        .input("piped\n")
                        .run();

        assertThat(exit.exit()).isEqualTo(37);
        assertThat(killed.exit()).isEqualTo(143);
        assertThat(pipe.ok()).isEqualTo("PIPED");
    }

    @Test
    void P11_auditHoldsEveryDecisionAndItsChainVerifies() {
        sallyport.inSandbox(
                "acme/app",
                "git ls-remote "
                        + URL
                        + "; git ls-remote https://HOST/acme/other"
                                .replace("HOST", GitServer.HOST));

        Command.Result verify = sallyport.sallyport("audit", "verify").run();
        String shown = sallyport.sallyport("audit", "show", "--json").run().ok();

        assertThat(verify.exit()).as(verify.all()).isZero();
        assertThat(shown)
                .contains("\"allow\"")
                .contains("\"deny\"")
                .contains("acme/other")
                .doesNotContain(GitServer.TOKEN);
    }

    @Test
    void I17_refusedGitRequestsDoNotFloodTheRecordAndEveryIdLeadsSomewhere() throws Exception {
        String refused = "http://gateway.sallyport/git/nobody.example/acme/other.git/HEAD?[1-600]";
        Command.Result result =
                sallyport.inSandbox(
                        "acme/app", "curl -s '%s' | grep ^id: | cut -c5-".formatted(refused));

        List<String> ids = result.ok().lines().toList();
        assertThat(ids).hasSize(600);
        String shown = show("--id", ids.getFirst());
        String session = shown.replaceFirst("(?s).* git\\.request ([0-9a-f]{16}) .*", "$1");
        for (int i = 0; i < 120 && !shown.contains("audit.thinned"); i++) {
            Thread.sleep(500);
            shown = show("--session", session);
        }
        assertThat(shown.lines()).hasSizeBetween(10, 400);
        String lines = shown;
        String counted = ids.stream().filter(id -> !lines.contains("id=" + id)).findAny().get();
        assertThat(show("--id", counted)).contains("audit.thinned", " count=", "git.request.");
        assertThat(since(before)).as("nothing went upstream").isEmpty();
    }

    private static String show(String... options) {
        List<String> arguments = new ArrayList<>(List.of("audit", "show"));
        arguments.addAll(List.of(options));
        return sallyport.sallyport(arguments.toArray(String[]::new)).run().ok();
    }
}
