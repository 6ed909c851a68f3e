package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.github.FakeGithub;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// `gh pr view` in a sandbox without a token, beside gh on the machine that holds the token itself.
/// Both ask the same GitHub over TLS, next door and as far away as it usually is. Every process of
/// gh connects anew; the gateway keeps its connection.
public final class GhBench {
    private static final int ROUNDS = Run.sized(15, 2);
    private static final int VIEWS = Run.sized(9, 3);
    private static final int FAR_MILLIS = 20;
    private static final long BITS_PER_SECOND = 1_000_000_000;
    private static final double ADDED_MILLIS_MAX = 15;

    /// Of its own, because gh knows no other port than 443.
    private static final String NEAR = "127.77.0.1";

    private static final String FAR = "127.77.0.2";

    /// Every gh reads them all: in a sandbox once, outside from the directory as well.
    private static final Path AUTHORITIES = Path.of("/etc/ssl/certs/ca-certificates.crt");

    /// Those that gh shows by itself ask for a kind of project that GitHub has no more, so that
    /// Debian's gh fails without a gateway.
    private static final String FIELDS =
            "number,title,body,state,author,comments,reviews,labels,statusCheckRollup,files";

    private static final String VIEW =
            """
            for i in $(seq %d); do
              before=$EPOCHREALTIME
              gh pr view 2 -R acme/app --json %s > view || exit 1
              after=$EPOCHREALTIME
              echo $(( (${after/./} - ${before/./}) ))
            done
            grep -q 'Please review.' view
            """
                    .formatted(VIEWS, FIELDS);

    private final Run run;
    private final FakeGithub github;

    private GhBench(Run run) throws IOException {
        this.run = run;
        this.github = run.using(FakeGithub.start(run.root().resolve("github")));
    }

    public static void main(String[] args) throws IOException {
        Run.bench("gh", run -> new GhBench(run).measure());
    }

    private void measure() throws IOException {
        measure("near", NEAR, 0);
        measure("far", FAR, FAR_MILLIS);
    }

    private void measure(String name, String address, int millis) throws IOException {
        run.using(
                new FarRelay(
                        new InetSocketAddress(InetAddress.getByName(address), 443),
                        github.git().port(),
                        millis,
                        BITS_PER_SECOND));
        Installation sallyport = run.using(Installation.bare(run.root().resolve(name)));
        start(sallyport, address);
        Path direct = run.directory("direct-" + name);
        Files.writeString(direct.resolve("hosts"), address + " api.github.com github.com\n");
        Files.writeString(
                direct.resolve("authorities.pem"),
                Files.readString(AUTHORITIES) + Files.readString(github.git().caFile()));
        run.measure(
                new Contest("gh-" + name, "gh pr view, " + millis + " ms away", ROUNDS)
                        .figure("p50", "ms")
                        .way(Contest.DIRECT, () -> millis(direct(direct)))
                        .way(
                                Contest.US,
                                () ->
                                        millis(
                                                sallyport.sallyport(
                                                        "exec", "box", "--", "bash", "-c", VIEW)))
                        .atMostMore("p50", ADDED_MILLIS_MAX, Contest.DIRECT));
    }

    private void start(Installation sallyport, String address) throws IOException {
        Files.copy(github.git().caFile(), sallyport.home().resolve("ca.pem"));
        sallyport.policy(
                """
                hosts:
                  - {name: github.com, kind: github, ca-file: ca.pem, dial: "%s:443"}
                """
                        .formatted(address));
        sallyport.sallyport("secret", "set", "github").input(FakeGithub.TOKEN + "\n").run().ok();
        sallyport
                .sallyport("new", "--name", "box", "--runtime", "bubblewrap", "--repo", "acme/app")
                .run()
                .ok();
    }

    /// In a mount namespace of its own, where the names lead to the relay.
    private Command direct(Path directory) {
        return Command.of(
                        "unshare",
                        "--mount",
                        "bash",
                        "-c",
                        "mount --bind hosts /etc/hosts || exit 1\n" + VIEW)
                .in(directory)
                .with("HOME", directory.toString())
                .with("GH_TOKEN", FakeGithub.TOKEN)
                .with("GH_NO_UPDATE_NOTIFIER", "1")
                .with("GH_PROMPT_DISABLED", "1")
                .with("SSL_CERT_FILE", directory.resolve("authorities.pem").toString());
    }

    /// The median of what it took each time, in microseconds.
    private static List<Double> millis(Command views) {
        List<Double> all =
                views.run().ok().lines().map(line -> Double.parseDouble(line) / 1e3).toList();
        return List.of(Contest.median(all));
    }
}
