package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;

/// What judging costs: large pushes, and small ones to a large repository. nginx judges nothing; it
/// says what a proxy costs, and what it costs to send nothing on before everything is there.
public final class PushBench {
    private static final int ROUNDS = Run.sized(4, 1);

    /// A round that does not count comes before them, and that of memory after them.
    private static final int LAST = ROUNDS + 1;

    private static final int SMALL_ROUNDS = Run.sized(11, 2);
    private static final History MANY = new History(Run.sized(1_000, 100), 1, 100_000);
    private static final History ONE = new History(1, Run.sized(300, 30), 1_000_000);
    private static final History OLD = new History(Run.sized(50_000, 5_000), 1, 40);
    private static final String NGINX = "nginx";
    private static final List<String> WAYS =
            List.of(Contest.DIRECT, NGINX, Proxies.STORING, Contest.US);

    private final Run run;
    private final GitWays git;
    private final Proxies.Field nginx;

    /// Commits that each add files of random bytes.
    record History(int commits, int files, int bytes) {
        int megabytes() {
            return (int) ((long) commits * files * bytes / 1_000_000);
        }
    }

    private PushBench(Run run) throws IOException {
        this.run = run;
        this.git = new GitWays(run);
        this.nginx = git.proxies().start(NGINX, Proxies.STORING);
    }

    public static void main(String[] args) throws IOException {
        Run.bench("push", run -> new PushBench(run).measure());
    }

    private void measure() throws IOException {
        git.repository("base");
        git.repository("deep");
        List<String> names = new ArrayList<>(List.of("deep"));
        names.addAll(targets("many"));
        names.addAll(targets("one"));
        git.newSandbox("", names);
        large("many", MANY, 1.6);
        large("one", ONE, 1.8);
        small();
    }

    /// A repository for each push, because what is there already is not sent again.
    private List<String> targets(String prefix) {
        List<String> names = new ArrayList<>();
        for (String way : WAYS) {
            IntStream.rangeClosed(0, LAST).forEach(i -> names.add(target(prefix, way, i)));
        }
        for (String name : names) {
            Command.of("cp", "-r", git.bare("base").toString(), git.bare(name).toString())
                    .run()
                    .ok();
        }
        return names;
    }

    private static String target(String prefix, String way, int round) {
        return "%s-%s-%d".formatted(prefix, word(way), round);
    }

    private static String word(String way) {
        return way.toLowerCase(Locale.ROOT).replaceAll("[^a-z]+", "-");
    }

    /// The sandbox's workspace is the installation's, so all push the same repository.
    private void large(String prefix, History history, double bar) throws IOException {
        Path work = git.workspace().resolve(prefix);
        GitServer.git(run.root(), "clone", "-q", git.bare("base").toString(), work.toString());
        fastImport(work, history, "refs/heads/main");
        // The gateway's copies of the repositories exist before the clock runs.
        for (int i = 0; i <= LAST; i++) {
            git.inside(
                    push(
                            prefix,
                            target(prefix, Contest.US, i),
                            "origin/main:refs/heads/agent/warm"));
        }
        String title =
                "push of %d MB in %,d commit%s"
                        .formatted(
                                history.megabytes(),
                                history.commits,
                                history.commits > 1 ? "s" : "");
        Contest contest =
                new Contest("push-" + prefix, title, ROUNDS).figure("wall", "s").usage("s");
        Function<String, String> script = pushes(prefix);
        git.direct(contest, script);
        git.through(contest, nginx, script);
        git.sandboxed(contest, Contest.US, script);
        run.measure(contest.atMost("wall", bar, Contest.DIRECT));
        Command.of("rm", "-rf", work.toString()).run();
    }

    /// To the next repository of each way.
    private static Function<String, String> pushes(String prefix) {
        List<String> begun = new ArrayList<>();
        return way -> {
            int round = (int) begun.stream().filter(way::equals).count();
            begun.add(way);
            return push(prefix, target(prefix, way, round), "main:refs/heads/agent/bench");
        };
    }

    private static String push(String work, String target, String what) {
        return "cd %s\n--\n@GIT@ push -q @URL@/%s.git %s".formatted(work, target, what);
    }

    private void small() throws IOException {
        Path work = git.workspace().resolve("deep");
        GitServer.git(run.root(), "clone", "-q", git.bare("deep").toString(), work.toString());
        fastImport(work, OLD, "refs/heads/main");
        GitServer.git(work, "push", "-q", git.bare("deep").toString(), "main");
        String title = "push of one commit to %,d objects".formatted(OLD.commits * 4);
        Contest contest =
                new Contest("push-small", title, SMALL_ROUNDS).figure("wall", "s").usage("s");
        Function<String, String> script =
                way ->
                        """
                        cd deep
                        next=$(@GIT@ -c user.name=b -c user.email=b@test.example commit-tree -p main -m "$(date +%%s%%N)" main^{tree})
                        @GIT@ update-ref refs/heads/main $next
                        --
                        @GIT@ push -q @URL@/deep.git main:refs/heads/agent/%s\
                        """
                                .formatted(word(way));
        git.direct(contest, script);
        git.through(contest, nginx, script);
        git.sandboxed(contest, Contest.US, script);
        run.measure(contest);
    }

    /// See [History].
    static void fastImport(Path work, int commits, int bytes, String ref) throws IOException {
        fastImport(work, new History(commits, 1, bytes), ref);
    }

    /// On top of what the ref is, in one pack: git looks for deltas only between packs.
    static void fastImport(Path work, History history, String ref) throws IOException {
        Process git =
                new ProcessBuilder(
                                "git",
                                "-c",
                                "fastimport.unpackLimit=1",
                                "fast-import",
                                "--quiet",
                                "--force")
                        .directory(work.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (OutputStream out = git.getOutputStream()) {
            write(history, ref, out);
        }
        try {
            if (git.waitFor() != 0) {
                throw new IOException("git fast-import failed");
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static void write(History history, String ref, OutputStream out) throws IOException {
        Random random = new Random();
        byte[] content = new byte[history.bytes];
        long now = System.currentTimeMillis() / 1_000;
        for (int i = 0; i < history.commits; i++) {
            String from = i == 0 ? "from " + ref + "^0\n" : "";
            ascii(
                    out,
                    "commit %s\ncommitter T <t@test.example> %d +0000\ndata 1\nx\n%s"
                            .formatted(ref, now, from));
            for (int file = 0; file < history.files; file++) {
                random.nextBytes(content);
                ascii(
                        out,
                        "M 100644 inline d%d/f%d\ndata %d\n"
                                .formatted(
                                        random.nextInt(1_000), random.nextLong(), history.bytes));
                out.write(content);
                out.write('\n');
            }
        }
    }

    private static void ascii(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
    }
}
