package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Command;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Real git on both sides of the door.
final class GitDoorTest {
    @TempDir Path dir;

    private final TestPki pki = new TestPki();
    private GitBackend backend;
    private DoorRig rig;
    private Path bare;

    @BeforeEach
    void start() throws Exception {
        Path repos = Files.createDirectories(dir.resolve("repos"));
        bare = repos.resolve("acme/app.git");
        Git.ok(dir, "init", "-q", "--bare", bare.toString());
        Git.turnOn(
                bare, "http.receivepack", "uploadpack.allowFilter", "receive.advertisePushOptions");
        Path seed = dir.resolve("seed");
        Git.ok(dir, "init", "-q", seed.toString());
        for (int i = 0; i < 5; i++) {
            commit(seed, "file" + i, "content " + i);
        }
        Git.ok(seed, "push", "-q", bare.toString(), "HEAD:main");
        backend =
                new GitBackend(
                        repos, pki.server(DoorRig.HOST.value()), DoorRig.USER, DoorRig.TOKEN);
        rig =
                new DoorRig(
                        backend.dial(),
                        pki.caPem(),
                        Limits.standard(),
                        grant("acme/app", Access.WRITE, PushRules.standard()),
                        grant("acme/readonly", Access.READ, PushRules.standard()));
    }

    @AfterEach
    void stop() {
        rig.close();
        backend.close();
    }

    private static RepoGrant grant(String repo, Access access, PushRules rules) throws Exception {
        return new RepoGrant(
                RepoPattern.parse(DoorRig.HOST + "/" + repo), access, RefVisibility.all(), rules);
    }

    private static void commit(Path work, String file, String content) throws IOException {
        Files.writeString(work.resolve(file), content);
        Git.ok(work, "add", "-A");
        Git.ok(work, "commit", "-q", "-m", file);
    }

    private Path cloned() {
        Git.ok(dir, "clone", "-q", rig.url("acme/app"), "work");
        return dir.resolve("work");
    }

    private void assertUnchangedUpstream() {
        assertThat(Git.ok(bare, "for-each-ref", "--format=%(refname)"))
                .isEqualTo("refs/heads/main");
        assertThat(backend.seen()).noneMatch(GitBackend.Seen::isPush);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void p4ClonesInEveryProtocolVersion(int version) {
        Git.ok(dir, "-c", "protocol.version=" + version, "clone", "-q", rig.url("acme/app"), "c");

        assertThat(Git.ok(dir.resolve("c"), "rev-parse", "HEAD"))
                .isEqualTo(Git.ok(bare, "rev-parse", "main"));
        Git.ok(dir.resolve("c"), "fsck", "--strict");
        assertThat(rig.recorded("git.request")).hasSizeGreaterThan(1).containsOnly("allow -");
        assertThat(rig.reads.all("id")).hasSameSizeAs(rig.recorded("git.request"));
        assertThat(rig.bytesDown.get()).isPositive();
    }

    @Test
    void p4ClonesShallowAndPartially() {
        Git.ok(dir, "clone", "-q", "--depth", "2", rig.url("acme/app"), "shallow");
        Git.ok(dir, "clone", "-q", "--filter=blob:none", rig.url("acme/app"), "partial");

        assertThat(Git.ok(dir.resolve("shallow"), "rev-list", "--count", "HEAD")).isEqualTo("2");
        Git.ok(dir.resolve("shallow"), "fetch", "-q", "--unshallow");
        assertThat(Git.ok(dir.resolve("shallow"), "rev-list", "--count", "HEAD")).isEqualTo("5");
        assertThat(Git.ok(dir.resolve("partial"), "rev-parse", "HEAD"))
                .isEqualTo(Git.ok(bare, "rev-parse", "main"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void p4FetchesWithAGzippedRequest(int version) throws Exception {
        Path work = cloned();
        Git.commits(work, 200);
        commit(dir.resolve("seed"), "later", "later");
        Git.ok(dir.resolve("seed"), "push", "-q", bare.toString(), "HEAD:main");

        Git.ok(work, "-c", "protocol.version=" + version, "fetch", "-q", "origin");

        assertThat(Git.ok(work, "rev-parse", "origin/main"))
                .isEqualTo(Git.ok(bare, "rev-parse", "main"));
        assertThat(backend.seen()).allMatch(seen -> seen.header("Content-encoding").isEmpty());
        assertThat(backend.seen())
                .anyMatch(seen -> seen.header("Transfer-encoding").equals("chunked"));
    }

    @Test
    void p4PushesFromAShallowClone() throws Exception {
        Git.ok(dir, "clone", "-q", "--depth", "1", rig.url("acme/app"), "shallow");
        Path work = dir.resolve("shallow");
        commit(work, "new", "new");

        Git.ok(work, "push", "-q", "origin", "HEAD:refs/heads/agent/shallow");

        assertThat(Git.ok(bare, "rev-parse", "agent/shallow"))
                .isEqualTo(Git.ok(work, "rev-parse", "HEAD"));
        Git.ok(bare, "fsck", "--strict");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void p4PushesToAnAllowedBranchAgainAndAgain(int version) throws Exception {
        Path work = cloned();
        for (int i = 0; i < 2; i++) {
            commit(work, "new" + i, "new " + i);
            Git.ok(
                    work,
                    "-c",
                    "protocol.version=" + version,
                    "push",
                    "-q",
                    "origin",
                    "HEAD:refs/heads/agent/x");
        }
        assertThat(Git.ok(bare, "rev-parse", "agent/x"))
                .isEqualTo(Git.ok(work, "rev-parse", "HEAD"));
        Git.ok(bare, "fsck", "--strict");
        assertThat(rig.recorded("git.push")).containsExactly("allow -", "allow -");
        assertThat(rig.reads.all("service")).isNotEmpty().containsOnly("git-upload-pack");
        assertThat(rig.events)
                .filteredOn(event -> event.kind().equals("git.push"))
                .first()
                .satisfies(
                        event ->
                                assertThat(event.detail())
                                        .containsEntry("ref-1", "refs/heads/agent/x")
                                        .containsEntry("old-1", "0".repeat(40)));
    }

    @Test
    void p4PushesALargePackInChunks() throws Exception {
        Path work = cloned();
        byte[] large = new byte[12 << 20];
        new Random(1).nextBytes(large);
        Files.write(work.resolve("large.bin"), large);
        commit(work, "note", "large");

        Git.ok(work, "push", "-q", "origin", "HEAD:refs/heads/agent/large");
        Git.ok(dir, "clone", "-q", "-b", "agent/large", rig.url("acme/app"), "again");

        assertThat(Files.mismatch(work.resolve("large.bin"), dir.resolve("again/large.bin")))
                .isEqualTo(-1);
        assertThat(Git.ok(dir.resolve("again"), "rev-parse", "HEAD"))
                .isEqualTo(Git.ok(work, "rev-parse", "HEAD"));
        assertThat(backend.seen())
                .anyMatch(
                        seen ->
                                seen.target().endsWith("git-receive-pack")
                                        && seen.header("Content-length").length() > 7);
    }

    @Test
    void refusesABranchThatIsNotGrantedSoThatGitExplainsIt() throws Exception {
        Path work = cloned();
        commit(work, "x", "x");

        Command.Result push = Git.run(work, "push", "origin", "HEAD:main");

        assertThat(push.exit()).isNotZero();
        assertThat(push.err())
                .contains("! [remote rejected] HEAD -> main (sallyport: ref-not-allowed)")
                .contains("remote: Sallyport denied this push. Nothing was sent upstream.")
                .contains("branches that match agent/**");
        assertUnchangedUpstream();
        assertThat(rig.recorded("git.push")).containsExactly("deny -");
    }

    @Test
    void g1OneDeniedCommandDeniesThePushInAnyOrder() throws Exception {
        Path work = cloned();
        commit(work, "x", "x");
        Git.ok(work, "tag", "v1");
        List<String> denied =
                List.of(
                        "HEAD:refs/heads/main",
                        "v1",
                        "HEAD:refs/pull/1/head",
                        "HEAD:refs/notes/commits",
                        "HEAD:refs/replace/" + "a".repeat(40),
                        "HEAD:refs/heads/agentx",
                        "HEAD:refs/heads/AGENT/x",
                        ":refs/heads/main");
        for (String command : denied) {
            Command.Result first =
                    Git.run(work, "push", "origin", command, "HEAD:refs/heads/agent/ok");
            Command.Result last =
                    Git.run(work, "push", "origin", "HEAD:refs/heads/agent/ok", command);

            assertThat(List.of(first, last))
                    .allSatisfy(
                            push -> {
                                assertThat(push.exit()).isNotZero();
                                assertThat(push.err())
                                        .contains("denied with the whole push by sallyport");
                            });
        }
        assertUnchangedUpstream();
        assertThat(rig.recorded("git.push")).hasSize(2 * denied.size()).containsOnly("deny -");
        assertThat(rig.pushes).hasValue(0);
    }

    @Test
    void refusesALargeDeniedPushWithoutLosingTheReport() throws Exception {
        Path work = cloned();
        byte[] large = new byte[5 << 20];
        new Random(2).nextBytes(large);
        Files.write(work.resolve("large.bin"), large);
        commit(work, "note", "large");

        Command.Result push = Git.run(work, "push", "origin", "HEAD:main");

        assertThat(push.err()).contains("(sallyport: ref-not-allowed)");
        assertUnchangedUpstream();
    }

    @Test
    void deletesAndTagsWhereTheyAreGranted() throws Exception {
        rig.close();
        PushRules rules = DoorRig.rules(true, true);
        rig =
                new DoorRig(
                        backend.dial(),
                        pki.caPem(),
                        Limits.standard(),
                        grant("acme/app", Access.WRITE, rules));
        Path work = cloned();
        Git.ok(work, "tag", "v1");
        Git.ok(work, "push", "-q", "origin", "v1", "HEAD:refs/heads/agent/gone");
        Git.ok(work, "push", "-q", "--atomic", "origin", ":refs/heads/agent/gone");

        assertThat(Git.ok(bare, "for-each-ref", "--format=%(refname)"))
                .isEqualTo("refs/heads/main\nrefs/tags/v1");
    }

    @Test
    void g11PushOptionsAreNotOffered() throws Exception {
        Path work = cloned();
        commit(work, "x", "x");

        Command.Result push =
                Git.run(work, "push", "-o", "ci.skip", "origin", "HEAD:refs/heads/agent/x");

        assertThat(push.err()).contains("does not support push options");
        assertUnchangedUpstream();
    }

    @Test
    void aPackBeyondTheLimitDoesNotArrive() throws Exception {
        rig.close();
        PushRules rules = DoorRig.rules(false, false);
        rig =
                new DoorRig(
                        backend.dial(),
                        pki.caPem(),
                        Limits.standard(),
                        grant("acme/app", Access.WRITE, rules));
        Path work = cloned();
        byte[] large = new byte[3 << 20];
        new Random(3).nextBytes(large);
        Files.write(work.resolve("large.bin"), large);
        commit(work, "note", "large");

        Command.Result push = Git.run(work, "push", "origin", "HEAD:refs/heads/agent/large");

        assertThat(push.exit()).isNotZero();
        assertThat(Git.ok(bare, "for-each-ref", "--format=%(refname)"))
                .isEqualTo("refs/heads/main");
    }

    @Test
    void readAccessDoesNotPush() {
        Command.Result push =
                Git.run(
                        dir.resolve("seed"),
                        "push",
                        rig.url("acme/readonly"),
                        "HEAD:refs/heads/agent/x");

        assertThat(push.err()).contains("read-only for this sandbox");
        assertThat(backend.seen()).isEmpty();
    }

    @Test
    void p1NothingOfTheSandboxGoesUpAndNothingOfTheSecretComesDown() throws Exception {
        Path work = dir.resolve("traced");
        Command.Result clone =
                Command.of(
                                "git",
                                "-c",
                                "http.extraHeader=Cookie: sandbox=1",
                                "-c",
                                "http.extraHeader=Authorization: Basic c2FuZGJveA==",
                                "-c",
                                "http.extraHeader=X-Forwarded-For: 1.2.3.4",
                                "clone",
                                rig.url("acme/app"),
                                work.toString())
                        .in(dir)
                        .with("GIT_CONFIG_GLOBAL", "/dev/null")
                        .with("GIT_TRACE_CURL", "1")
                        .with("GIT_TRACE_CURL_NO_DATA", "0")
                        .with("GIT_TRACE_REDACT", "0")
                        .run();

        assertThat(clone.exit()).as(clone.err()).isZero();
        assertThat(clone.all()).doesNotContain(DoorRig.TOKEN);
        assertThat(backend.seen())
                .isNotEmpty()
                .allSatisfy(
                        seen -> {
                            assertThat(seen.headers().toString())
                                    .doesNotContain("sandbox", "1.2.3.4", "git/2.39", "deflate");
                            assertThat(seen.header("Host")).isEqualTo(DoorRig.HOST.value());
                        });
    }

    @Test
    void p11WithoutARecordNothingIsDialled() {
        rig.recorderBroken = true;

        Command.Result list = Git.run(dir, "ls-remote", rig.url("acme/app"));

        assertThat(list.err()).contains("could not be recorded");
        assertThat(backend.seen()).isEmpty();
    }

    @Test
    void p11WithoutARecordNothingIsPushed() throws Exception {
        Path work = cloned();
        commit(work, "x", "x");
        rig.recorderBroken = true;

        Command.Result push = Git.run(work, "push", "origin", "HEAD:refs/heads/agent/x");

        assertThat(push.exit()).isNotZero();
        assertUnchangedUpstream();
    }
}
