package dev.sallyport.mirror;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.HostKind;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.Credential;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.CredentialSource;
import dev.sallyport.credential.Secret;
import dev.sallyport.git.Git;
import dev.sallyport.git.GitBackend;
import dev.sallyport.git.TestPki;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import dev.sallyport.upstream.Client;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A real upstream with repositories, and copies of them.
final class MirrorRig implements AutoCloseable {
    private static final int LOOKS_MAX = 100;
    static final HostName HOST = new HostName("git.test.example");
    static final String USER = "x-access-token";
    static final String TOKEN = "ghp_pl4ntedT0kenThatNobodyMaySee0042";

    final Path directory;
    final List<Long> told = new CopyOnWriteArrayList<>();
    final Progress progress = (bytes, _) -> told.add(bytes);
    private final Path dir;
    private final Path repos;
    private final TestPki pki = new TestPki();
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    final GitBackend backend;
    Mirrors mirrors;

    MirrorRig(Path dir) throws IOException {
        this.dir = dir;
        this.repos = Files.createDirectories(dir.resolve("repos"));
        this.directory =
                Files.createDirectory(
                        dir.resolve("mirrors"),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
        this.backend = new GitBackend(repos, pki.server(HOST.value()), USER, TOKEN);
        this.mirrors = mirrors(limits(), backend.dial());
    }

    static Limits.Mirror limits() {
        return new Limits.Mirror(1L << 30, 1L << 30, 1_000, 60);
    }

    TestPki pki() {
        return pki;
    }

    Mirrors mirrors(Limits.Mirror limits, String dial) {
        return mirrors(limits, Limits.standard().upstream(), dial);
    }

    Mirrors mirrors(Limits.Mirror limits, Limits.Upstream upstreamLimits, String dial) {
        GitHost host =
                new GitHost(HOST, HostKind.PLAIN, Optional.of(pki.caPem()), Optional.of(dial));
        return new Mirrors(directory, limits, new Client(upstreamLimits, List.of(host)), loops);
    }

    /// As after the death of the gateway.
    void restart(Limits.Mirror limits) {
        mirrors.close();
        mirrors = mirrors(limits, backend.dial());
    }

    /// A bare repository without commits, and its seed.
    Path empty(String name) {
        Path bare = repos.resolve(name + ".git");
        Git.ok(dir, "init", "-q", "--bare", bare.toString());
        Git.ok(dir, "init", "-q", seed(name).toString());
        return bare;
    }

    /// A bare repository with some commits on `main`.
    Path repository(String name, int commits) throws IOException {
        Path bare = empty(name);
        for (int i = 0; i < commits; i++) {
            commit(name, "file" + i, "content " + i + " of " + name);
        }
        push(name, "HEAD:refs/heads/main");
        return bare;
    }

    Path seed(String name) {
        return dir.resolve("seed").resolve(name);
    }

    ObjectName commit(String name, String file, String text) throws IOException {
        Path seed = seed(name);
        Files.writeString(seed.resolve(file), text);
        Git.ok(seed, "add", "-A");
        Git.ok(seed, "commit", "-q", "-m", "changes " + file);
        return id(name, "HEAD");
    }

    void push(String name, String... refspecs) {
        List<String> arguments = new ArrayList<>(List.of("push", "-q", "-f"));
        arguments.add(repos.resolve(name + ".git").toString());
        arguments.addAll(List.of(refspecs));
        Git.ok(seed(name), arguments.toArray(String[]::new));
    }

    ObjectName id(String name, String revision) {
        return new ObjectName(Git.ok(seed(name), "rev-parse", revision).strip());
    }

    static GitPermit permit(String repo, String... visible) {
        try {
            List<RefPattern> patterns = new ArrayList<>();
            for (String pattern : visible) {
                patterns.add(RefPattern.parseFull(pattern));
            }
            RefVisibility visibility =
                    visible.length == 0 ? RefVisibility.all() : RefVisibility.of(patterns);
            RepoGrant grant =
                    new RepoGrant(
                            RepoPattern.parse(HOST + "/" + repo),
                            Access.WRITE,
                            visibility,
                            PushRules.standard());
            Policy policy = new Policy(SessionId.random(), List.of(grant));
            Decision<GitPermit> decision =
                    policy.decide(RepoName.parse(HOST + "/" + repo), GitService.UPLOAD_PACK);
            if (decision instanceof Decision.Allow(GitPermit permit)) {
                return permit;
            }
            throw new AssertionError(decision);
        } catch (MalformedNameException e) {
            throw new AssertionError(e);
        }
    }

    static CredentialBook credentials() {
        return credentials(TOKEN);
    }

    static CredentialBook credentials(String token) {
        Secret secret = Secret.of(token.getBytes(StandardCharsets.US_ASCII));
        return new CredentialBook(
                List.of(new CredentialSource.Stored(new Credential(HOST, USER, secret))));
    }

    Mirror refresh(String repo, String... visible) throws MirrorException, InterruptedException {
        return mirrors.refresh(permit(repo, visible), credentials(), progress);
    }

    /// Refreshes and gives back at once.
    void touch(String repo) throws MirrorException, InterruptedException {
        refresh(repo).close();
    }

    static RefName ref(String name) {
        return new RefName("refs/" + name);
    }

    /// The requests that upstream saw since the last question.
    List<String> asked() {
        List<String> asked = backend.seen().stream().map(GitBackend.Seen::method).toList();
        backend.seen().clear();
        return asked;
    }

    /// Everything below the directory that ends so.
    List<Path> files(String ending) throws IOException {
        for (int looks = 1; ; looks++) {
            try {
                return filesNow(ending);
            } catch (UncheckedIOException e) {
                // Something may go away while we look.
                if (looks == LOOKS_MAX || !(e.getCause() instanceof NoSuchFileException)) {
                    throw e;
                }
            }
        }
    }

    private List<Path> filesNow(String ending) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        }
    }

    List<String> entries() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(path -> String.valueOf(path.getFileName()))
                    .filter(name -> !name.equals("lock"))
                    .sorted()
                    .toList();
        }
    }

    /// What git itself says about the objects of a lent copy, completely checked.
    static String fsck(Mirror mirror) {
        Path copy = mirror.objects().resolveSibling("");
        return Git.ok(mirror.objects(), "--git-dir=" + copy, "fsck", "--full");
    }

    @Override
    public void close() {
        mirrors.close();
        backend.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /// Whether a visible ref reaches this object.
    static boolean reaches(Mirror mirror, ObjectName id) throws IOException {
        return mirror.reached(Set.of(id)).contains(id);
    }
}
