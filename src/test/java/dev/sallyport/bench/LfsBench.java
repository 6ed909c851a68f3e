package dev.sallyport.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.JgitLfsRig;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.LfsServer;
import dev.sallyport.git.GitBackend;
import dev.sallyport.git.TestPki;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// A large object to and from its store, direct and through the door from a sandbox. Only what curl
/// measures of the transfer counts; the batch before it does not.
public final class LfsBench {
    private static final int ROUNDS = Run.sized(5, 1);
    private static final long BYTES = Run.sized(1_024, 64) * (1L << 20);
    private static final String HOST = "git.lfs.example";
    private static final String USER = "x-access-token";
    private static final String TOKEN = "ghp_" + "B3nchT0kenB3nchT0kenB3nchT0kenB3nc42";
    private static final String MEASURED = "%{http_code} %{time_total}";

    private final Run run;
    private final GitBackend git;
    private final LfsServer server;
    private final Installation sallyport;
    private final Path file;
    private final Path ca;
    private final String oid;

    private LfsBench(Run run) throws IOException {
        this.run = run;
        TestPki pki = new TestPki();
        Path root = run.directory("server");
        this.git = run.using(new GitBackend(root, pki.server(HOST, LfsServer.STORE), USER, TOKEN));
        this.server =
                new LfsServer(
                        Files.createDirectories(root.resolve("objects")), HOST, git, "acme/app");
        this.sallyport = run.using(Installation.bare(run.root().resolve("i")));
        this.ca = Files.writeString(sallyport.home().resolve("ca.pem"), pki.caPem());
        this.file = sallyport.workspace().resolve("large.bin");
        this.oid = fill(file);
    }

    public static void main(String[] args) throws IOException {
        Run.bench("lfs", run -> new LfsBench(run).measure());
    }

    private static String fill(Path file) throws IOException {
        MessageDigest digest = sha256();
        byte[] piece = new byte[1 << 20];
        Random random = new Random(1);
        try (OutputStream out = new DigestOutputStream(Files.newOutputStream(file), digest)) {
            for (long left = BYTES; left > 0; left -= piece.length) {
                random.nextBytes(piece);
                out.write(piece);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private void measure() throws Exception {
        push();
        newSandbox();
        run.measure(contest("lfs-upload", "upload", this::remove, "-T", file.toString()));
        run.measure(contest("lfs-download", "download", this::put, "-o", "/dev/null"));
    }

    /// All of it, as a person sees it: real git-lfs, and a server that is not ours.
    private void push() throws Exception {
        JgitLfsRig rig = run.using(new JgitLfsRig(Map.of()));
        rig.create("jgit", "--runtime", "bubblewrap", "--ephemeral-home");
        String row =
                "git push of a large file of %,d MiB to JGit's LFS server".formatted(BYTES >> 20);
        run.measure(
                new Contest("lfs-push", row, 1)
                        .figure("wall", "s")
                        .way(
                                Contest.US,
                                () -> List.of(rig.push("jgit", BYTES).toMillis() / 1_000.0)));
    }

    private Contest contest(String name, String operation, Runnable before, String... how) {
        String row = "%s of a large file of %,d MiB".formatted(operation, BYTES >> 20);
        return new Contest(name, row, ROUNDS)
                .figure("wall", "s")
                .usage("s")
                .way(
                        Contest.DIRECT,
                        () -> {
                            before.run();
                            return direct(how);
                        })
                .way(
                        Contest.US,
                        () -> {
                            before.run();
                            return through(operation, how);
                        },
                        () -> Usage.processesOf(sallyport))
                .atMost("wall", 1.2, Contest.DIRECT);
    }

    private void newSandbox() {
        sallyport.policy(
                """
                hosts:
                  - {name: %1$s, kind: plain, ca-file: ca.pem, dial: "%2$s"}
                git:
                  - repo: %1$s/acme/app
                    access: write
                    lfs: {upload-bytes-max: 1099511627776, storage: [%3$s]}
                """
                        .formatted(HOST, git.dial(), LfsServer.STORE));
        sallyport
                .sallyport("secret", "set", "git", "--host", HOST, "--user", USER)
                .input(TOKEN + "\n")
                .run()
                .ok();
        sallyport
                .sallyport(
                        "new",
                        "--name",
                        "bench",
                        "--runtime",
                        "bubblewrap",
                        "--repo",
                        HOST + "/acme/app")
                .run()
                .ok();
    }

    private void remove() {
        try {
            Files.deleteIfExists(server.object(oid));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void put() {
        try {
            if (!server.has(oid)) {
                Files.copy(file, server.object(oid));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Double> direct(String... how) {
        List<String> argv = new ArrayList<>(List.of("curl", "-sS", "--cacert", ca.toString()));
        argv.addAll(List.of("--connect-to", LfsServer.STORE + ":443:" + git.dial()));
        argv.addAll(List.of("-H", "Authorization: Bearer " + LfsServer.STORE_KEY));
        argv.addAll(List.of("-w", MEASURED));
        argv.addAll(List.of(how));
        argv.add("https://" + LfsServer.STORE + "/objects/" + oid);
        return measured(Command.of(argv).in(run.root()));
    }

    private List<Double> through(String operation, String... how) {
        String api = "http://" + HOST + "/acme/app.git/info/lfs/objects/batch";
        String batch =
                "{\"operation\":\"%s\",\"objects\":[{\"oid\":\"%s\",\"size\":%d}]}"
                        .formatted(operation, oid, BYTES);
        String answer =
                sallyport
                        .sallyport("exec", "bench", "--", "curl", "-sS", "-d", batch, api)
                        .run()
                        .ok();
        List<String> argv = new ArrayList<>(List.of("exec", "bench", "--", "curl", "-sS"));
        argv.addAll(List.of("-w", MEASURED));
        argv.addAll(List.of(how));
        argv.add(href(answer, operation));
        return measured(sallyport.sallyport(argv.toArray(String[]::new)));
    }

    private static String href(String answer, String operation) {
        try {
            return new ObjectMapper()
                    .readTree(answer)
                    .at("/objects/0/actions/" + operation + "/href")
                    .asText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Double> measured(Command transfer) {
        String out = transfer.within(Duration.ofMinutes(5)).run().ok();
        String[] figures = out.substring(out.lastIndexOf('}') + 1).split(" ", -1);
        if (!figures[0].equals("200")) {
            throw new AssertionError("it did not arrive: " + out);
        }
        return List.of(Double.parseDouble(figures[1]));
    }
}
