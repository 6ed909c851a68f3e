package dev.sallyport.git;

import dev.sallyport.approval.Asker;
import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.DiskFullException;
import dev.sallyport.config.GitHost;
import dev.sallyport.config.HostKind;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.Credential;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.CredentialSource;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.LiveSessions;
import dev.sallyport.fixture.ReadLog;
import dev.sallyport.forge.ProposalRules;
import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.HeadForm;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestConnection;
import dev.sallyport.http.RequestQuota;
import dev.sallyport.lfs.LfsDoor;
import dev.sallyport.lfs.Presence;
import dev.sallyport.mirror.Mirrors;
import dev.sallyport.mirror.Progress;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.SessionId;
import dev.sallyport.push.Judge;
import dev.sallyport.push.SecretFinder;
import dev.sallyport.push.SecretScanner;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.Client;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// The git door behind the real HTTP front, listening on loopback, with a record that a test can
/// read and break.
final class DoorRig implements AutoCloseable {
    static final HostName HOST = new HostName("git.test.example");
    private static final RepoName APP = new RepoName(HOST, "acme", "app");
    static final String USER = "x-access-token";
    static final String TOKEN = "ghp_pl4ntedT0kenThatNobodyMaySee0042";

    final List<AuditEvent> events = new CopyOnWriteArrayList<>();
    final ReadLog reads = new ReadLog(this::record);
    final AtomicLong bytesUp = new AtomicLong();
    final AtomicLong pushes = new AtomicLong();
    final AtomicLong bytesDown = new AtomicLong();
    volatile boolean recorderBroken;

    /// Which events the disk of the record does not take.
    volatile Predicate<AuditEvent> diskFull = _ -> false;

    /// What the session says about its end.
    volatile List<String> notices = List.of();

    /// Asks a person.
    volatile Asker asker = Asker.NOBODY;

    /// Looks for secrets in what is pushed.
    volatile SecretFinder finder = SecretScanner.standard();

    private volatile String unrecordable = "";

    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Channel listener;
    private final Supplier<Channel> another;
    private final Path state;
    private final PushJudging judging;
    private final Function<Path, CompletableFuture<Boolean>> lending;

    /// @param credential whether there is one for the host
    /// @param firstSlice of a judgement
    /// @param pace of what is said to whoever waits
    record Setting(boolean credential, Duration firstSlice, WaitTalk.Pace pace) {
        static final Setting STANDARD = new Setting(true, Duration.ofMillis(100));

        Setting(boolean credential, Duration firstSlice) {
            this(credential, firstSlice, WaitTalk.Pace.STANDARD);
        }
    }

    DoorRig(String dial, String caPem, Limits limits, RepoGrant... grants) {
        this(dial, caPem, limits, Setting.STANDARD, grants);
    }

    DoorRig(String dial, String caPem, Limits limits, boolean credential, RepoGrant... grants) {
        this(dial, caPem, limits, new Setting(credential, Setting.STANDARD.firstSlice()), grants);
    }

    DoorRig(String dial, String caPem, Limits limits, Setting setting, RepoGrant... grants) {
        GitHost host = new GitHost(HOST, HostKind.PLAIN, Optional.of(caPem), Optional.of(dial));
        Client upstream = new Client(limits.upstream(), List.of(host));
        this.state = temporary();
        this.judging =
                new PushJudging(
                        limits.push(),
                        state.resolve("work"),
                        new Mirrors(state.resolve("mirrors"), limits.mirror(), upstream, loops),
                        new Judge(limits.push(), content -> finder.find(content)),
                        new Presence(upstream, reads, loops),
                        setting.firstSlice(),
                        setting.pace());
        LfsDoor lfs =
                new LfsDoor(
                        upstream,
                        reads,
                        (_, used) -> bytesUp.addAndGet(used.bytesUp()),
                        state.resolve("work"),
                        content -> finder.find(content));
        LiveSession session = session(setting.credential(), grants);
        ProposalRules proposals = new ProposalRules(limits.api());
        proposals.begin(session.id());
        GitDoor door =
                new GitDoor(
                        limits.git(),
                        upstream,
                        reads,
                        (_, used) -> {
                            bytesUp.addAndGet(used.bytesUp());
                            pushes.addAndGet(used.pushes());
                            bytesDown.addAndGet(used.bytesDown());
                        },
                        judging,
                        lfs,
                        proposals);
        this.lending = into -> door.lend(session, APP, into, Progress.NONE);
        ConnectionTerms terms =
                new ConnectionTerms(
                        () -> told(session),
                        door,
                        limits.http(),
                        new RequestQuota(
                                limits.sharing(), new RequestQuota.Total(limits.sharing())),
                        new RefusalLog(session.id(), this::record));
        this.listener = listen(terms);
        this.another = () -> listen(neighbour(terms, session.credentials(), grants));
    }

    /// Shares acme/app with the sandbox; says whether it was.
    boolean lend(Path directory) throws Exception {
        return lending.apply(directory).get(1, TimeUnit.MINUTES);
    }

    /// Another sandbox with the same rights.
    private static ConnectionTerms neighbour(
            ConnectionTerms terms, CredentialBook credentials, RepoGrant... grants) {
        SessionId id = SessionId.random();
        LiveSession session =
                LiveSessions.of(id, "neighbour", new Policy(id, List.of(grants)), credentials);
        return new ConnectionTerms(
                () -> session, terms.door(), terms.limits(), terms.quota(), terms.log());
    }

    /// The URL of a repository for another sandbox with the same rights; it ends with the rig.
    String urlOfAnother(String repo) {
        return url(another.get(), repo);
    }

    private static Path temporary() {
        try {
            Path state = Files.createTempDirectory("door");
            var ours =
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------"));
            Files.createDirectory(state.resolve("work"), ours);
            Files.createDirectory(state.resolve("mirrors"), ours);
            return state;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What is on disk of pushes that are being judged; nothing, once they are over.
    List<Path> spooled() {
        try (Stream<Path> files = Files.list(state.resolve("work"))) {
            return files.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path work() {
        return state.resolve("work");
    }

    Path mirrors() {
        return state.resolve("mirrors");
    }

    static PushRules rules(boolean delete, boolean tags) throws MalformedNameException {
        List<RefPattern> branches = List.of(RefPattern.parse("agent/**"));
        return new PushRules(branches, false, delete, tags, 1 << 20, ContentRules.standard());
    }

    private static LiveSession session(boolean credential, RepoGrant... grants) {
        SessionId id = SessionId.random();
        Secret secret = Secret.of(TOKEN.getBytes(StandardCharsets.US_ASCII));
        return LiveSessions.of(
                id,
                "box",
                new Policy(id, List.of(grants)),
                new CredentialBook(
                        credential
                                ? List.of(
                                        new CredentialSource.Stored(
                                                new Credential(HOST, USER, secret)))
                                : List.of()));
    }

    private LiveSession told(LiveSession session) {
        return LiveSessions.of(
                        session.id(),
                        session.sandbox(),
                        session.policy(),
                        session.credentials(),
                        session.git(),
                        notices)
                .asking(asker);
    }

    private CompletableFuture<Void> record(AuditEvent event) {
        if (diskFull.test(event)) {
            return CompletableFuture.failedFuture(new DiskFullException("full"));
        }
        if (recorderBroken || event.kind().equals(unrecordable)) {
            return CompletableFuture.failedFuture(new IllegalStateException("disk full"));
        }
        events.add(event);
        return CompletableFuture.completedFuture(null);
    }

    /// From now on events of this kind cannot be recorded.
    void failRecording(String kind) {
        unrecordable = kind;
    }

    private Channel listen(ConnectionTerms terms) {
        return new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                RequestConnection.addTo(channel.pipeline(), terms, HeadForm.FRONT);
                            }
                        })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    int port() {
        return port(listener);
    }

    private static int port(Channel listener) {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    String url(String repo) {
        return url(listener, repo);
    }

    private static String url(Channel listener, String repo) {
        return "http://127.0.0.1:" + port(listener) + "/git/" + HOST + "/" + repo + ".git";
    }

    /// What was recorded of one kind, as `decision reason`.
    List<String> recorded(String kind) {
        return events.stream()
                .filter(event -> event.kind().equals(kind))
                .map(event -> event.decision() + " " + event.detail().getOrDefault("reason", "-"))
                .toList();
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        judging.close();
        loops.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).syncUninterruptibly();
        // The last push may be removing its own files at the same time.
        Command.of("rm", "-rf", state.toString()).run();
    }
}
