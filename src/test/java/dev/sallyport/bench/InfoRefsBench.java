package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The first request of every fetch, again and again on kept connections, of one client and of 64.
/// The origin is nginx with a file, so that what is in between is what takes time.
public final class InfoRefsBench {
    private static final String TARGET = "/acme/app.git/info/refs?service=git-upload-pack";
    private static final String FRONT = "gateway.sallyport";
    private static final String PATH = "/git/" + GitServer.HOST + TARGET;
    private static final int ROUNDS = Run.sized(5, 1);
    private static final int ROUND_SECONDS = Run.sized(2, 1);
    private static final String CREDENTIAL = GitServer.USER + ":" + GitServer.TOKEN;

    private final Run run;
    private final Daemons daemons;
    private final Installation sallyport;
    private final Proxies.Origin origin;

    /// @param environment of every command
    InfoRefsBench(Run run, Map<String, String> environment) throws IOException {
        this.run = run;
        this.daemons = run.using(new Daemons(run.directory("refs-server")));
        this.sallyport = run.using(Installation.bare(run.root().resolve("refs"), environment));
        this.origin =
                new Proxies.Origin(
                        GitServer.HOST,
                        Daemons.freePort(),
                        daemons.caFile(),
                        Optional.of(CREDENTIAL));
    }

    public static void main(String[] args) throws IOException {
        Run.bench("info-refs", run -> new InfoRefsBench(run, Map.of()).measure());
    }

    private void measure() throws IOException {
        start();
        Proxies proxies = new Proxies(daemons, origin, Optional.empty());
        Proxies.Field all = proxies.start("nginx", "haproxy", "squid", "mitmproxy");
        Load.warmUp(() -> through(64));
        Load.warmUp(() -> through(1));
        run.measure(
                contest("info-refs-1", "info/refs, one client", 1, all)
                        .atMost("p50", 1.5, "nginx")
                        .atMost("p99", 1.5, "nginx"));
        run.measure(
                contest("info-refs-64", "info/refs, 64 clients", 64, all)
                        .atLeast("rate", 0.5, "nginx"));
        run.measure(each(all).atMost("p99", 1.5, "nginx"));
    }

    private Contest each(Proxies.Field proxies) {
        Contest contest =
                new Contest("info-refs-each", "info/refs, one client, each counted once", ROUNDS)
                        .figure("p50", "µs")
                        .figure("p99", "µs")
                        .usage("µs per request");
        proxies.join(
                contest,
                proxy ->
                        () ->
                                EachRequest.measured(
                                        Command.of(
                                                EachRequest.argv(
                                                        "127.0.0.1",
                                                        proxy.port(),
                                                        TARGET,
                                                        ROUND_SECONDS))));
        return contest.way(
                Contest.US,
                () ->
                        EachRequest.measured(
                                inside(EachRequest.argv(FRONT, 80, PATH, ROUND_SECONDS))),
                () -> Usage.processesOf(sallyport));
    }

    /// Afterwards there is a sandbox that may ask.
    void start() throws IOException {
        Path refs = run.directory("refs-server/files/acme/app.git/info").resolve("refs");
        Files.write(refs, advertisement());
        daemons.startOrigin(
                GitServer.HOST,
                origin.port(),
                List.of(),
                """
                location /acme/ {
                  types {} default_type application/x-git-upload-pack-advertisement;
                  add_header Cache-Control no-cache;
                  if ($http_authorization != "%s") { return 401; }
                }
                """
                        .formatted(origin.authorization()));
        Files.copy(daemons.caFile(), sallyport.home().resolve("ca.pem"));
        sallyport.policy(
                """
                hosts:
                  - {name: %s, kind: plain, ca-file: ca.pem, dial: "127.0.0.1:%d"}
                limits:
                  sharing: {requests-per-second-per-sandbox-max: 100000}
                """
                        .formatted(GitServer.HOST, origin.port()));
        sallyport
                .sallyport("secret", "set", "b", "--host", GitServer.HOST, "--user", GitServer.USER)
                .input(GitServer.TOKEN + "\n")
                .run()
                .ok();
        String repository = GitServer.HOST + "/acme/app";
        sallyport
                .sallyport(
                        "new", "--name", "bench", "--runtime", "bubblewrap", "--repo", repository)
                .run()
                .ok();
    }

    private byte[] advertisement() throws IOException {
        Path work = run.directory("repository");
        GitServer.git(work, "init", "-q", "-b", "main");
        GitServer.git(work, "commit", "-q", "--allow-empty", "-m", "first");
        String refs = GitServer.git(work, "upload-pack", "--http-backend-info-refs", ".git");
        return ("001e# service=git-upload-pack\n0000" + refs).getBytes(StandardCharsets.UTF_8);
    }

    private Contest contest(String id, String title, int clients, Proxies.Field proxies) {
        Contest contest =
                Load.figures(new Contest(id, title, ROUNDS)).without("tinyproxy", Proxies.NO_TLS);
        String direct = "https://localhost:" + origin.port() + TARGET;
        contest.way(
                Contest.DIRECT,
                () ->
                        outside(clients, direct, "-H", "Authorization: " + origin.authorization())
                                .values());
        proxies.join(
                contest,
                proxy ->
                        () ->
                                outside(clients, "http://127.0.0.1:" + proxy.port() + TARGET)
                                        .values());
        return contest.way(
                Contest.US, () -> through(clients).values(), () -> Usage.processesOf(sallyport));
    }

    private static Load outside(int clients, String url, String... more) {
        return Load.measured(Command.of(Load.argv(clients, ROUND_SECONDS, url, more)));
    }

    Installation sallyport() {
        return sallyport;
    }

    Load through(int clients) {
        return Load.measured(inside(Load.argv(clients, ROUND_SECONDS, "http://" + FRONT + PATH)));
    }

    private Command inside(List<String> argv) {
        List<String> all = new ArrayList<>(List.of("exec", "bench", "--"));
        all.addAll(argv);
        return sallyport.sallyport(all.toArray(String[]::new));
    }
}
