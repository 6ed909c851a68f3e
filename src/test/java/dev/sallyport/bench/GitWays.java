package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The ways of one git client to a git server: directly, through other proxies, and from a sandbox.
/// Only the client's own time counts; starting a sandbox's command does not.
final class GitWays {
    private static final Duration COMMAND_MAX = Duration.ofMinutes(3);

    private final GitServer server;
    private final Installation sallyport;
    private final Proxies proxies;

    GitWays(Run run) throws IOException {
        this(run, Map.of());
    }

    /// @param environment of every command
    GitWays(Run run, Map<String, String> environment) throws IOException {
        this.server = run.using(GitServer.start(run.directory("server")));
        this.sallyport = run.using(Installation.with(run.root().resolve("i"), server, environment));
        Daemons daemons = run.using(new Daemons(run.directory("proxies")));
        this.proxies =
                new Proxies(
                        daemons,
                        new Proxies.Origin(
                                GitServer.HOST,
                                server.port(),
                                server.caFile(),
                                Optional.of(GitServer.USER + ":" + GitServer.TOKEN)),
                        Optional.empty());
    }

    Installation sallyport() {
        return sallyport;
    }

    Proxies proxies() {
        return proxies;
    }

    /// What both sides of the sandbox see.
    Path workspace() {
        return sallyport.workspace();
    }

    /// A repository of the server's, that the sandbox may push to once it is made.
    Path repository(String name) {
        return server.repository("acme", name);
    }

    Path bare(String name) {
        return server.repositories().resolve("acme/" + name + ".git");
    }

    /// @param policy is added to the installation's
    void newSandbox(String policy, List<String> repositories) throws IOException {
        sallyport.policy(Files.readString(sallyport.home().resolve("policy.yaml")) + policy);
        // The daemon that took the secret began without it.
        sallyport.sallyport("down").run().ok();
        List<String> argv = new ArrayList<>(List.of("new", "--name", "bench"));
        argv.addAll(List.of("--runtime", "bubblewrap"));
        for (String name : repositories) {
            argv.addAll(List.of("--repo", GitServer.HOST + "/acme/" + name));
        }
        sallyport.sallyport(argv.toArray(String[]::new)).run().ok();
    }

    /// @param script of a way: `@GIT@` is the command and `@URL@` the place of the repositories
    void direct(Contest contest, Function<String, String> script) {
        String git =
                "git -c http.sslCAInfo=%s -c http.curloptResolve=%s:%d:127.0.0.1"
                        .formatted(server.caFile(), GitServer.HOST, server.port());
        String url =
                "https://%s:%s@%s:%d/acme"
                        .formatted(GitServer.USER, GitServer.TOKEN, GitServer.HOST, server.port());
        contest.way(Contest.DIRECT, () -> outside(script.apply(Contest.DIRECT), git, url));
    }

    /// See [#direct].
    void through(Contest contest, Proxies.Field proxies, Function<String, String> script) {
        proxies.join(
                contest,
                proxy ->
                        () ->
                                outside(
                                        script.apply(proxy.name()),
                                        "git",
                                        "http://127.0.0.1:" + proxy.port() + "/acme"));
    }

    /// See [#direct].
    void sandboxed(Contest contest, String name, Function<String, String> script) {
        contest.way(name, () -> inside(script.apply(name)), () -> Usage.processesOf(sallyport));
    }

    private List<Double> outside(String script, String git, String url) {
        return seconds(
                Command.of("bash", "-c", timed(script, git, url))
                        .in(workspace())
                        .with("GIT_CONFIG_GLOBAL", "/dev/null")
                        .with("GIT_CONFIG_NOSYSTEM", "1")
                        .without("GIT_SSL_CAINFO"));
    }

    List<Double> inside(String script) {
        String url = "https://" + GitServer.HOST + "/acme";
        return seconds(
                sallyport.sallyport(
                        "exec", "bench", "--", "bash", "-c", timed(script, "git", url)));
    }

    /// What comes before a line with `--` is not counted.
    private static String timed(String script, String git, String url) {
        String[] parts = ("set -e\n" + script).split("\n--\n", 2);
        String filled =
                (parts[0] + "\ns=$(date +%s%N)\n" + parts[1])
                        .replace("@GIT@", git + " -c safe.directory=*")
                        .replace("@URL@", url);
        return filled + "\ne=$(date +%s%N)\necho $((e - s))";
    }

    private static List<Double> seconds(Command command) {
        String out = command.within(COMMAND_MAX).run().ok();
        return List.of(Double.parseDouble(out.lines().toList().getLast()) / 1e9);
    }
}
