package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.WebServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A policy file that is changed while sandboxes run: what it takes away is gone at once, what it
/// gives they get when a person says so, and a file with errors changes nothing.
class PolicyChangeIT {
    private static final String TUNNEL = "tunnel.change.example";
    private static final String NEW = "new.change.example";
    private static final String REPO = GitServer.HOST + "/acme/app";

    private Path root;
    private GitServer git;
    private WebServer web;
    private Installation sallyport;

    @BeforeEach
    void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-change");
        git = GitServer.start(Files.createDirectory(root.resolve("git")));
        git.repository("acme", "app");
        web = WebServer.start(root.resolve("web"), TUNNEL, NEW);
        sallyport = Installation.with(root.resolve("i"), git);
        Files.copy(web.caFile(), sallyport.workspace().resolve("web-ca.pem"));
    }

    @AfterEach
    void stopEverything() {
        sallyport.close();
        web.close();
        git.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private void policy(String rules) {
        sallyport.policy(
                """
                hosts:
                  - {name: %s, kind: plain, ca-file: test-ca.pem, dial: "%s"}
                %s
                """
                        .formatted(GitServer.HOST, git.dial(), rules));
    }

    private String tunnels(String... hosts) {
        StringBuilder rules = new StringBuilder("egress:\n");
        for (String host : hosts) {
            rules.append(
                    "  - {host: %s, ports: [443], dial: \"%s\"}\n".formatted(host, web.dial()));
        }
        return rules.toString();
    }

    private Command.Result run(String... arguments) {
        return sallyport.sallyport(arguments).run();
    }

    private void make(String name) {
        run("new", "--name", name, "--runtime", "bubblewrap", "--repo", REPO).ok();
    }

    private Command.Result exec(String name, String script) {
        return run("exec", name, "--", "bash", "-uc", script);
    }

    private String status(String name, String host) {
        String ask = "curl -sS -m 60 -o /dev/null -w '%{http_code}' --cacert web-ca.pem https://";
        return exec(name, ask + host + "/echo 2>/dev/null").out();
    }

    @Test
    void bothDoorsAreNarrowedAtOnceAndWidenedWhenSomebodySaysSo() {
        policy(tunnels(TUNNEL));
        make("work");
        String push =
                "cd ~ && rm -rf app && git clone -q https://"
                        + REPO
                        + " && cd app && git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m x"
                        + " && git push -q origin HEAD:agent/x";
        assertThat(exec("work", push).exit()).isZero();
        assertThat(status("work", TUNNEL)).isEqualTo("200");
        assertThat(status("work", NEW)).isEqualTo("000");

        policy(tunnels(NEW) + "git: [{repo: " + REPO + ", access: read}]\n");
        String said = run("policy", "apply").ok();
        // The daemon may have noticed the file before it was told.
        assertThat(said).contains("not given: " + NEW, "--running");
        assertThat(status("work", TUNNEL)).isEqualTo("000");
        assertThat(exec("work", "getent hosts " + TUNNEL).exit()).isNotZero();
        assertThat(status("work", NEW)).isEqualTo("000");
        assertThat(exec("work", push).exit()).isNotZero();
        make("second");
        assertThat(status("second", NEW)).isEqualTo("200");

        run("policy", "apply", "--running").ok();
        assertThat(status("work", NEW)).isEqualTo("200");
        assertThat(run("audit", "show").ok())
                .contains("policy.apply", "session.policy", "lost=", TUNNEL + " ports 443");
    }

    @Test
    void aTunnelThatIsOpenEndsWhenItsHostIsTakenAway() throws Exception {
        policy(tunnels(TUNNEL));
        make("work");
        Path out = sallyport.workspace().resolve("out");
        Process open =
                sallyport
                        .sallyport(
                                "exec",
                                "work",
                                "--",
                                "bash",
                                "-c",
                                "openssl s_client -connect "
                                        + (TUNNEL + ":443 -servername " + TUNNEL)
                                        + " < <(sleep 600) > out 2>&1")
                        .start();
        try {
            Await.until(() -> Files.exists(out) && Files.readString(out).contains("END CERT"));
            policy("");
            Await.until(
                    () ->
                            run("audit", "show", "--json")
                                    .ok()
                                    .lines()
                                    .filter(line -> line.contains(TUNNEL))
                                    .anyMatch(line -> line.contains("\"egress.cut\"")));
        } finally {
            open.destroy();
        }
    }

    @Test
    void whatIsDeniedNamesTheCommandThatAllowsIt() {
        policy(tunnels(TUNNEL));
        make("work");
        String allow = "sallyport allow work " + NEW;
        String denied =
                exec(
                                "work",
                                """
                                getent hosts %s
                                curl -sS http://gateway.sallyport/why
                                curl -sS 'http://gateway.sallyport/why?host=%s'
                                curl -sS -o /dev/null -w '%%{http_code}\n' 'http://gateway.sallyport/why?host=a%%20b'
                                curl -sS -x http://127.0.0.1:3128 http://%s/
                                """
                                        .formatted(NEW, NEW, NEW))
                        .out();
        assertThat(denied.split(Pattern.quote(allow), -1)).hasSize(4);
        assertThat(denied).contains("\n400\n");
        String push =
                "cd ~ && git clone -q https://%s && cd app && git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m x && git push -q origin HEAD:main"
                        .formatted(REPO);
        assertThat(exec("work", push).err()).contains("push: branches of " + REPO);
        assertThat(run("denials", "work").ok())
                .contains("to allow it: " + allow, "push: branches of " + REPO);
        theRecordExplainsIt(allow);
        run("allow", "work", NEW).ok();
        assertThat(exec("work", "curl -sS 'http://gateway.sallyport/why?host=" + NEW + "'").out())
                .contains("is allowed");
    }

    private void theRecordExplainsIt(String allow) {
        String denials =
                run("audit", "show", "--sandbox", "work", "--denied", "--target", "main", "--json")
                        .ok();
        Matcher id = Pattern.compile("\"id\":\"([0-9a-z-]+)\"").matcher(denials);
        assertThat(id.find()).isTrue();
        assertThat(run("audit", "why", id.group(1)).ok())
                .contains("sandbox work", "denied  push to " + REPO, "ref-not-allowed")
                .contains("to allow it: change push: branches of " + REPO);
        assertThat(run("audit", "report", "work").ok())
                .contains("refs/heads/main", "denied: ref-not-allowed", "to allow it: " + allow);
        assertThat(run("audit", "export", "--format", "ocsf", "--since", "1h").ok())
                .contains("\"class_uid\":4003", "\"class_uid\":6003", NEW);
        assertThat(run("audit", "show", "--since", "0s").ok()).isEmpty();
        assertThat(run("audit", "why", "none").exit()).isNotZero();
        assertThat(run("audit", "show", "--since", "soon").err()).contains("'soon' is not a time");
    }

    @Test
    void aFileWithErrorsChangesNothingAndEverybodyIsTold() {
        policy(tunnels(TUNNEL));
        make("work");
        policy("egress: [{hots: a.example}]");
        Command.Result refused = run("policy", "apply");
        assertThat(refused.exit()).isNotZero();
        assertThat(refused.err()).contains("policy.yaml:");
        assertThat(status("work", TUNNEL)).isEqualTo("200");
        make("second");
        assertThat(status("second", TUNNEL)).isEqualTo("200");
        assertThat(run("list").err()).contains("not in force", "policy.yaml:");
        assertThat(run("doctor").out()).contains("policy in force");
    }
}
