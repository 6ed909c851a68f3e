package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.LfsRepository;
import dev.sallyport.fixture.LfsServer;
import dev.sallyport.git.GitBackend;
import dev.sallyport.git.TestPki;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Real git and git-lfs in a real sandbox, without a flag, an option or a question; behind the
/// gateway a git host with Git LFS as its API is documented, and a store of another name.
class LfsIT {
    private static final String HOST = "git.lfs.example";
    private static final String URL = "https://" + HOST + "/acme/app";
    private static final String USER = "x-access-token";
    private static final String TOKEN = "ghp_" + "Lf5T0kenLf5T0kenLf5T0kenLf5T0ken0042";
    private static final String BEGIN =
            "set -e; cd ~; rm -rf app; git config --global user.name A;"
                    + " git config --global user.email a@test.example; git clone -q "
                    + URL
                    + "; cd app; ";

    private static Path root;
    private static GitBackend git;
    private static LfsServer server;
    private static Installation sallyport;

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-lfs");
        TestPki pki = new TestPki();
        Path repos = Files.createDirectories(root.resolve("repos"));
        git =
                new GitBackend(
                        repos, pki.server(HOST, LfsServer.STORE, LfsServer.ELSEWHERE), USER, TOKEN);
        server =
                new LfsServer(
                        Files.createDirectories(root.resolve("objects")),
                        HOST,
                        git,
                        "acme/app",
                        "acme/docs");
        byte[] large = "what everybody has\n".repeat(5_000).getBytes(StandardCharsets.UTF_8);
        String oid = server.put(large);
        LfsRepository.make(root, repos, "app", oid, large.length);
        LfsRepository.make(root, repos, "docs", oid, large.length);
        sallyport = Installation.bare(root.resolve("i"));
        Files.writeString(sallyport.home().resolve("ca.pem"), pki.caPem());
        sallyport.policy(
                """
                hosts:
                  - {name: %1$s, kind: plain, ca-file: ca.pem, dial: "%2$s"}
                git:
                  - repo: %1$s/acme/app
                    access: write
                    lfs: {object-bytes-max: 33554432, storage: [%3$s]}
                  - repo: %1$s/acme/docs
                    access: read
                    lfs: {storage: [%3$s]}
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
                        "box",
                        "--runtime",
                        "bubblewrap",
                        "--ephemeral-home",
                        "--repo",
                        HOST + "/acme/app",
                        "--repo",
                        HOST + "/acme/docs")
                .run()
                .ok();
    }

    @AfterAll
    static void stopEverything() {
        sallyport.close();
        git.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @BeforeEach
    void begin() {
        server.reset();
        git.seen().clear();
    }

    private static Command.Result inside(String script) {
        return sallyport
                .sallyport("exec", "box", "--", "bash", "-c", script)
                .within(Duration.ofMinutes(3))
                .run();
    }

    private static void assertNothingSeen(Command.Result result) {
        assertThat(result.all())
                .doesNotContain(TOKEN)
                .doesNotContain(LfsServer.STORE_KEY)
                .doesNotContain("signed=1");
    }

    @Test
    void aPlainCloneHasTheLargeFiles() {
        Command.Result result = inside(BEGIN + "head -1 shared.bin; wc -c < shared.bin");

        assertThat(result.ok()).isEqualTo("what everybody has\n95000");
        assertNothingSeen(result);
        assertThat(server.seen())
                .filteredOn(seen -> seen.host().equals(LfsServer.STORE))
                .hasSize(1)
                .allMatch(seen -> seen.authorization().equals("Bearer " + LfsServer.STORE_KEY));
    }

    @Test
    void aPlainPushUploadsTheLargeFilesThatItNames() {
        Command.Result result =
                inside(
                        BEGIN
                                + "git checkout -q -b agent/plain; head -c 3000000 /dev/urandom > new.bin;"
                                + " head -c 20000000 /dev/urandom > large.bin;"
                                + " git add .; git commit -qm new; git push -q origin agent/plain;"
                                + " sha256sum new.bin large.bin; cd ..; rm -rf app;"
                                + " git clone -q -b agent/plain "
                                + URL
                                + "; cd app; sha256sum new.bin large.bin");

        List<String> oids =
                result.ok()
                        .lines()
                        .filter(line -> line.endsWith(".bin"))
                        .map(line -> line.substring(0, 64))
                        .toList();
        assertThat(oids).hasSize(4);
        assertThat(oids.stream().distinct()).hasSize(2).allMatch(server::has);
        assertNothingSeen(result);
        assertThat(server.seen()).anyMatch(seen -> seen.path().endsWith("/verify-upload"));
    }

    @Test
    void installAndPullWorkAsAnywhere() {
        Command.Result result =
                inside(
                        "set -e; cd ~; rm -rf app; git lfs install; GIT_LFS_SKIP_SMUDGE=1 git clone -q "
                                + URL
                                + "; cd app; git lfs install --local; head -c 7 shared.bin; git lfs pull;"
                                + " wc -c < shared.bin; git lfs ls-files");

        assertThat(result.ok()).contains("version").contains("95000").contains("* shared.bin");
    }

    @Test
    void aDownloadThatWasCutGoesOn() {
        server.cutAfterBytes.set(40_000);

        Command.Result result = inside(BEGIN + "wc -c < shared.bin; git lfs fsck");

        assertThat(result.ok()).contains("95000").contains("Git LFS fsck OK");
        assertThat(server.ranges()).contains("bytes=40000-94999");
    }

    @Test
    void anExpiredActionIsAskedForAgain() {
        server.expired.set(1);

        assertThat(inside(BEGIN + "wc -c < shared.bin").ok()).isEqualTo("95000");
        assertThat(server.seen())
                .filteredOn(seen -> seen.path().endsWith("/objects/batch"))
                .hasSizeGreaterThan(1);
    }

    @Test
    void g26_anotherHostsHrefEndsTheUploadWithAReason() {
        server.twist =
                (verb, oid, action) -> {
                    if (verb.equals("upload")) {
                        action.put("href", "https://" + LfsServer.ELSEWHERE + "/objects/" + oid);
                    }
                };

        Command.Result result =
                inside(
                        BEGIN
                                + "git checkout -q -b agent/foreign; date +%N > f.bin; git add .;"
                                + " git commit -qm f; git push origin agent/foreign");

        assertThat(result.exit()).isNotZero();
        assertThat(result.err()).contains("keeps this object at a host that is not allowed");
        assertThat(server.seen()).noneMatch(seen -> seen.host().equals(LfsServer.ELSEWHERE));
        assertThat(git.seen()).noneMatch(GitBackend.Seen::isPush);
    }

    @Test
    void g26_anObjectWithoutWriteAccessIsNotUploaded() {
        Command.Result result =
                inside(
                        BEGIN.replace("acme/app", "acme/docs")
                                        .replace("cd app", "cd docs")
                                        .replace("rm -rf app", "rm -rf docs")
                                + "date +%N > r.bin; git add .; git commit -qm r; git lfs push origin main");

        assertThat(result.exit()).isNotZero();
        assertThat(result.err()).contains("Git LFS is not allowed for this repository");
        assertThat(server.seen()).noneMatch(seen -> seen.method().equals("PUT"));
    }

    @Test
    void g26_aFileThatIsNotItsHashIsNotUploaded() {
        Command.Result result =
                inside(
                        BEGIN
                                + "git checkout -q -b agent/wrong; head -c 1000 /dev/urandom > w.bin; git add .;"
                                + " git commit -qm w; oid=$(git lfs ls-files -l | grep w.bin | cut -d' ' -f1);"
                                + " f=.git/lfs/objects/${oid:0:2}/${oid:2:2}/$oid; chmod u+w $f;"
                                + " printf XX | dd of=$f conv=notrunc status=none; git push origin agent/wrong");

        assertThat(result.exit()).isNotZero();
        assertThat(result.err()).contains("not the one that its id and size name");
        assertThat(server.seen()).noneMatch(seen -> seen.method().equals("PUT"));
        assertThat(git.seen()).noneMatch(GitBackend.Seen::isPush);
    }

    @Test
    void anObjectAboveTheLimitIsRefusedWithAReason() {
        Command.Result result =
                inside(
                        BEGIN
                                + "git checkout -q -b agent/big; head -c 34000000 /dev/urandom > b.bin; git add .;"
                                + " git commit -qm b; git push origin agent/big");

        assertThat(result.exit()).isNotZero();
        assertThat(result.err())
                .contains("a large file is larger than allowed")
                .contains("lfs: object-bytes-max");
        assertThat(server.seen()).noneMatch(seen -> seen.method().equals("PUT"));
    }

    @Test
    void aPointerWithoutItsObjectIsNotPushed() {
        Command.Result result =
                inside(
                        BEGIN
                                + "git checkout -q -b agent/bare; date +%N > p.bin; git add .; git commit -qm p;"
                                + " git push --no-verify origin agent/bare");

        assertThat(result.exit()).isNotZero();
        assertThat(result.err()).contains("lfs-object-missing").contains("p.bin");
        assertThat(git.seen()).noneMatch(GitBackend.Seen::isPush);
    }

    @Test
    void locksAreListedAndNotMade() {
        server.locks =
                """
                [{"id":"7","path":"shared.bin","locked_at":"2026-01-01T00:00:00Z","owner":{"name":"ada"}}]
                """;

        Command.Result list = inside(BEGIN + "git lfs locks");
        Command.Result lock = inside(BEGIN + "git lfs lock shared.bin");

        assertThat(list.ok()).contains("shared.bin").contains("ada");
        assertThat(lock.exit()).isNotZero();
        assertThat(lock.err()).contains("locks can be listed");
        assertThat(server.seen())
                .noneMatch(s -> s.method().equals("POST") && s.path().endsWith("/locks"));
    }

    @Test
    void eachTransferIsInTheRecord() {
        inside(BEGIN + "git lfs fetch --all").ok();

        String shown = sallyport.sallyport("audit", "show", "--json").run().ok();
        assertThat(shown).contains("lfs.batch").contains("lfs.download").contains("\"store\"");
        assertThat(sallyport.sallyport("audit", "verify").run().exit()).isZero();
    }
}
