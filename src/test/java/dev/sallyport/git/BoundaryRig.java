package dev.sallyport.git;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.LfsServer;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A sandbox's clone, the git door, and a real upstream with a small history: `main` with three
/// commits, `agent/old` with one more, and the tag `v1`.
final class BoundaryRig implements AutoCloseable {
    final Path dir;
    final Path bare;
    final Path work;
    final GitBackend backend;
    final DoorRig door;
    private final String caPem;
    private final RepoGrant grant;

    BoundaryRig(Path dir, Limits limits, RefVisibility visible, PushRules rules) throws Exception {
        this(dir, limits, grant(visible, rules));
    }

    /// One whose fetches are answered from the copy, or not.
    static BoundaryRig mirrored(Path dir, RefVisibility visible, MirrorUse use) throws Exception {
        RepoGrant grant = grant(visible, PushRules.standard());
        return new BoundaryRig(
                dir,
                Limits.standard(),
                new RepoGrant(grant.repo(), grant.access(), grant.visible(), grant.push(), use));
    }

    BoundaryRig(Path dir, Limits limits, RepoGrant grant) throws Exception {
        this.dir = dir;
        this.grant = grant;
        TestPki pki = new TestPki();
        Path repos = Files.createDirectories(dir.resolve("repos"));
        this.bare = repos.resolve("acme/app.git");
        Git.ok(dir, "init", "-q", "--bare", bare.toString());
        Git.turnOn(
                bare,
                "http.receivepack",
                "uploadpack.allowFilter",
                "uploadpack.allowAnySHA1InWant");
        seed();
        this.backend =
                new GitBackend(
                        repos,
                        pki.server(DoorRig.HOST.value(), LfsServer.STORE, LfsServer.ELSEWHERE),
                        DoorRig.USER,
                        DoorRig.TOKEN);
        this.caPem = pki.caPem();
        this.door = new DoorRig(backend.dial(), caPem, limits, grant);
        this.work = dir.resolve("work");
        Git.ok(dir, "clone", "-q", door.url("acme/app"), "work");
    }

    /// Another door to the same upstream, which has no copies yet.
    DoorRig freshDoor() {
        return new DoorRig(backend.dial(), caPem, Limits.standard(), grant);
    }

    /// Another one, which has no copies yet and speaks as soon as there is something to say.
    DoorRig talkativeDoor() {
        Duration soon = Duration.ofMillis(20);
        return new DoorRig(
                backend.dial(),
                caPem,
                Limits.standard(),
                new DoorRig.Setting(
                        true,
                        DoorRig.Setting.STANDARD.firstSlice(),
                        new WaitTalk.Pace(soon, soon, soon, soon)),
                grant);
    }

    /// Another door to the same upstream, which takes smaller packs.
    DoorRig doorWithPackLimit(long bytes) throws Exception {
        PushRules rules =
                new PushRules(
                        PushRules.standard().branches(),
                        false,
                        false,
                        false,
                        bytes,
                        ContentRules.standard());
        return new DoorRig(backend.dial(), caPem, Limits.standard(), grant(rules));
    }

    /// Another one, with nothing to show to upstream.
    DoorRig doorWithoutCredential() throws Exception {
        return new DoorRig(
                backend.dial(), caPem, Limits.standard(), false, grant(PushRules.standard()));
    }

    /// Another one, where judgements are not stopped for others.
    DoorRig doorWithoutTurns() throws Exception {
        return new DoorRig(
                backend.dial(),
                caPem,
                Limits.standard(),
                new DoorRig.Setting(true, Duration.ofHours(1)),
                grant(PushRules.standard()));
    }

    /// Another one, to a hosting service whose API is granted as well.
    DoorRig doorWithApi(ApiRules rules) throws Exception {
        return doorWithApi(rules, Limits.Api.STANDARD.writesPerMinutePerSandboxMax());
    }

    DoorRig doorWithApi(ApiRules rules, int writesPerMinuteMax) throws Exception {
        Limits all = Limits.standard();
        Limits.Api api = all.api();
        Limits limits =
                new Limits(
                        all.http(),
                        all.sharing(),
                        all.git(),
                        all.push(),
                        all.mirror(),
                        all.dns(),
                        all.upstream(),
                        all.egress(),
                        new Limits.Api(
                                api.requestBytesMax(),
                                api.answerBytesMax(),
                                api.answerBytesTotalMax(),
                                api.downloadBytesMax(),
                                api.downloadSecondsMax(),
                                writesPerMinuteMax,
                                api.writesPerHourPerSandboxMax()),
                        all.approvals());
        return new DoorRig(
                backend.dial(), caPem, limits, grant(PushRules.standard()).withApi(rules));
    }

    private static RepoGrant grant(PushRules rules) throws Exception {
        return grant(RefVisibility.all(), rules);
    }

    private static RepoGrant grant(RefVisibility visible, PushRules rules) throws Exception {
        RepoPattern repo = RepoPattern.parse(DoorRig.HOST + "/acme/app");
        return new RepoGrant(repo, Access.WRITE, visible, rules);
    }

    static BoundaryRig standard(Path dir) throws Exception {
        return of(dir, PushRules.standard());
    }

    static BoundaryRig of(Path dir, PushRules rules) throws Exception {
        return new BoundaryRig(dir, Limits.standard(), RefVisibility.all(), rules);
    }

    private void seed() throws IOException {
        Path seed = dir.resolve("seed");
        Git.ok(dir, "init", "-q", seed.toString());
        commit(seed, ".github/workflows/ci.yml", "on: push\n");
        commit(seed, "README.md", "# app\n");
        commit(seed, "src/Main.java", "class Main {}\n");
        Git.ok(seed, "tag", "-a", "-m", "one", "v1");
        Git.ok(seed, "push", "-q", bare.toString(), "HEAD:main", "v1");
        commit(seed, "old.txt", "old\n");
        Git.ok(seed, "push", "-q", bare.toString(), "HEAD:agent/old");
    }

    static void commit(Path repository, String file, String content) throws IOException {
        Path path = repository.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, content);
        Git.ok(repository, "add", "-A");
        Git.ok(repository, "commit", "-q", "-m", "change " + file);
    }

    void commit(String file, String content) throws IOException {
        commit(work, file, content);
    }

    Command.Result push(String... arguments) {
        String[] all = new String[arguments.length + 2];
        all[0] = "push";
        all[1] = "origin";
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        return Git.run(work, all);
    }

    /// Where a ref of upstream is, or nothing.
    String upstream(String ref) {
        return Git.ok(bare, "for-each-ref", "--format=%(objectname)", ref);
    }

    List<String> upstreamRefs() {
        return Git.ok(bare, "for-each-ref", "--format=%(refname)").lines().toList();
    }

    /// How many pushes upstream has seen.
    long pushesSent() {
        return backend.seen().stream().filter(GitBackend.Seen::isPush).count();
    }

    /// Waits until nothing of any push is on disk; whether that came about.
    boolean leavesNothing() throws InterruptedException {
        for (int i = 0; i < 6_000 && !door.spooled().isEmpty(); i++) {
            Thread.sleep(10);
        }
        return door.spooled().isEmpty();
    }

    @Override
    public void close() {
        door.close();
        backend.close();
    }
}
