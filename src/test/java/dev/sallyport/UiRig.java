package dev.sallyport;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.fixture.Browser;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// A git server, a sandbox that may push to it, and people with browsers who look on.
final class UiRig implements AutoCloseable {
    static final String BOX = "box";

    /// Rules by which some pushes wait for a person.
    static final String ASKING =
            """
            git:
              - repo: %s/acme/app
                access: write
                push: {branches: ["agent/**"], ask: {refs: ["refs/heads/agent/ask/**"]}}
            """
                    .formatted(GitServer.HOST);

    final Path root;
    final GitServer server;
    final Installation sallyport;
    final Path upstream;
    private final List<Browser> browsers = new ArrayList<>();

    UiRig(String rules) throws IOException {
        root = Files.createTempDirectory("sp-ui");
        server = GitServer.start(Files.createDirectory(root.resolve("server")));
        upstream = server.repository("acme", "app");
        sallyport = Installation.with(root.resolve("i"), server);
        if (!rules.isEmpty()) {
            sallyport.policy(Files.readString(sallyport.home().resolve("policy.yaml")) + rules);
        }
        sallyport
                .sallyport(
                        "new",
                        "--name",
                        BOX,
                        "--runtime",
                        "bubblewrap",
                        "--repo",
                        GitServer.HOST + "/acme/app")
                .run()
                .ok();
        inside(
                        "git config --global user.name A && git config --global user.email a@test.example"
                                + " && git clone -q https://"
                                + GitServer.HOST
                                + "/acme/app app")
                .ok();
    }

    /// In the sandbox's workspace.
    Command.Result inside(String script) {
        return sallyport.sallyport("exec", BOX, "--", "bash", "-uc", script).run();
    }

    /// A new commit, pushed to a ref.
    Command.Result push(String ref, String message) {
        return inside(commit(message) + " && git push -q origin " + quoted("HEAD:" + ref));
    }

    /// A script inside that goes on by itself.
    Process start(String script) {
        return sallyport.sallyport("exec", BOX, "--", "bash", "-uc", script).start();
    }

    Process startPush(String ref, String message) {
        return start(commit(message) + " && git push -q origin " + quoted("HEAD:" + ref));
    }

    /// Its status.
    static int end(Process process) {
        try {
            if (!process.waitFor(2, TimeUnit.MINUTES)) {
                throw new AssertionError("it does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    boolean upstreamHas(String branch) {
        return !GitServer.git(upstream, "for-each-ref", "refs/heads/" + branch).isEmpty();
    }

    String record() {
        return sallyport.sallyport("audit", "show", "--last", "200").run().ok();
    }

    static String commit(String message) {
        return "cd app && date +%N > file && git add file && git commit -qm " + quoted(message);
    }

    static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    String link() {
        return sallyport.sallyport("ui").run().ok();
    }

    int port() {
        String link = link();
        return Integer.parseInt(link.substring(link.lastIndexOf(':') + 1, link.indexOf("/#")));
    }

    Browser browser(String... options) {
        Browser browser = Browser.start(root, options);
        browsers.add(browser);
        return browser;
    }

    /// A person who has logged in.
    Browser person() {
        Browser browser = browser();
        browser.open(link());
        browser.awaitText("#state", "Live");
        return browser;
    }

    static String cookie(Browser browser) {
        JsonNode cookies = browser.ask("Storage.getCookies", Map.of()).path("cookies");
        for (JsonNode one : cookies) {
            if (one.path("name").asText().startsWith("sallyport-")) {
                return one.path("name").asText() + "=" + one.path("value").asText();
            }
        }
        throw new AssertionError("no cookie: " + cookies);
    }

    void closeBrowsers() {
        browsers.forEach(Browser::close);
        browsers.clear();
    }

    @Override
    public void close() {
        closeBrowsers();
        sallyport.close();
        server.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }
}
