package dev.sallyport.forge;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.GitHost;
import dev.sallyport.config.HostKind;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.Credential;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.CredentialSource;
import dev.sallyport.credential.Secret;
import dev.sallyport.egress.RawSocket;
import dev.sallyport.egress.ScriptedHost;
import dev.sallyport.fixture.LiveSessions;
import dev.sallyport.fixture.ReadLog;
import dev.sallyport.git.TestPki;
import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.HeadForm;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestConnection;
import dev.sallyport.http.RequestQuota;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.LiveSession;
import dev.sallyport.session.Usage;
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
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/// The door to an API behind the real HTTP front, listening on loopback, with a scripted git host
/// behind it and a record that a test can read and break.
final class ApiRig implements AutoCloseable {
    static final String TOKEN = "ghp_pl4ntedS3cretThatNobodyMaySee0042";
    static final String STORE = "productionresultssa7.blob.core.windows.net";

    private static final int WORKS_MAX = 64;
    private static final HostName GITHUB = new HostName("github.com");
    private static final HostName API = new HostName("api.github.com");

    /// What the git host answers to a request, as bytes of HTTP.
    interface Upstream {
        String answer(String head, String body) throws IOException;
    }

    final List<AuditEvent> events = new CopyOnWriteArrayList<>();
    final ReadLog reads = new ReadLog(this::record);
    final List<Usage> used = new CopyOnWriteArrayList<>();
    final List<String> bodies = new CopyOnWriteArrayList<>();
    final ScriptedHost host;
    final ApiDoors doors;
    volatile boolean recorderBroken;
    volatile CompletableFuture<Void> record = CompletableFuture.completedFuture(null);
    volatile LiveSession session;

    private final SessionId id = SessionId.random();
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Client client;
    private final Channel listener;

    ApiRig(Upstream upstream) throws IOException {
        this(Limits.standard(), upstream);
    }

    ApiRig(Limits limits, Upstream upstream) throws IOException {
        this(
                limits,
                WORKS_MAX,
                peer -> {
                    for (String head = peer.head(); !head.isEmpty(); head = peer.head()) {
                        String body = peer.readBody();
                        peer.say(upstream.answer(head, body));
                    }
                });
    }

    ApiRig(Limits limits, ScriptedHost.Script script) throws IOException {
        this(limits, WORKS_MAX, script);
    }

    /// @param worksMax judgements that wait or are made
    ApiRig(Limits limits, int worksMax, ScriptedHost.Script script) throws IOException {
        TestPki pki = new TestPki();
        host = ScriptedHost.tls(pki.server(API.value(), STORE, "codeload.github.com"), script);
        GitHost git =
                new GitHost(
                        GITHUB,
                        HostKind.GITHUB,
                        Optional.of(pki.caPem()),
                        Optional.of(host.dial()));
        client = new Client(limits.upstream(), List.of(git));
        doors = new ApiDoors(client, reads, (_, more) -> used.add(more), limits.api(), worksMax);
        session = session(grant("github.com/acme/app", ApiRules.standard(Access.WRITE)));
        RefusalLog log = new RefusalLog(id, this::record);
        ApiDoor door = doors.door(id, log, new Policy(id, List.of()));
        ConnectionTerms terms =
                new ConnectionTerms(
                        () -> session,
                        (asking, head, responder) -> door.open(asking, API, head, responder),
                        limits.http(),
                        new RequestQuota(
                                limits.sharing(), new RequestQuota.Total(limits.sharing())),
                        log);
        listener = listen(terms);
    }

    static RepoGrant grant(String repo, ApiRules rules) {
        try {
            return new RepoGrant(
                            RepoPattern.parse(repo),
                            Access.WRITE,
                            RefVisibility.all(),
                            PushRules.standard())
                    .withApi(rules);
        } catch (dev.sallyport.policy.MalformedNameException e) {
            throw new AssertionError(e);
        }
    }

    private LiveSession session(RepoGrant... grants) {
        Secret secret = Secret.of(TOKEN.getBytes(StandardCharsets.US_ASCII));
        return LiveSessions.of(
                id,
                "box",
                new Policy(id, List.of(grants)),
                new CredentialBook(
                        List.of(
                                new CredentialSource.Stored(
                                        new Credential(GITHUB, "x-access-token", secret)))));
    }

    /// From the next look at them on, other rights.
    void changeRights(RepoGrant... grants) {
        LiveSession old = session;
        session = session(grants);
        client.end(old.credentials());
    }

    private CompletableFuture<Void> record(AuditEvent event) {
        if (recorderBroken) {
            return CompletableFuture.failedFuture(new IllegalStateException("disk full"));
        }
        events.add(event);
        return record;
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
                                RequestConnection.addTo(channel.pipeline(), terms, HeadForm.WEB);
                            }
                        })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    RawSocket connected() {
        return new RawSocket(((InetSocketAddress) listener.localAddress()).getPort());
    }

    /// Sends one request on a connection of its own and returns all that came back.
    String ask(String request) throws IOException {
        try (RawSocket socket = connected()) {
            return socket.send(request).restAsText();
        }
    }

    String get(String target, String... fields) throws IOException {
        return ask(head("GET", target, fields) + "\r\n");
    }

    String send(String method, String target, String body, String... fields) throws IOException {
        return ask(
                head(method, target, fields)
                        + "Content-Type: application/json\r\nContent-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body);
    }

    String query(String document) throws IOException {
        return send("POST", "/graphql", "{\"query\":\"" + document.replace("\"", "\\\"") + "\"}");
    }

    static String head(String method, String target, String... fields) {
        StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        head.append("Host: api.github.com\r\nConnection: close\r\n");
        Arrays.stream(fields).forEach(field -> head.append(field).append("\r\n"));
        return head.toString();
    }

    /// Request lines that arrived upstream.
    List<String> upstream() {
        return host.heads().stream().map(head -> head.lines().findFirst().orElse("")).toList();
    }

    /// What was recorded of one kind, as `decision reason`.
    List<String> recorded(String kind) {
        return events.stream()
                .filter(event -> event.kind().equals(kind))
                .map(event -> event.decision() + " " + event.detail().getOrDefault("reason", "-"))
                .toList();
    }

    Map<String, String> detail(String kind) {
        return events.stream()
                .filter(event -> event.kind().equals(kind))
                .map(AuditEvent::detail)
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing was recorded of " + kind));
    }

    static String json(int status, String body, String... fields) {
        StringBuilder answer = new StringBuilder("HTTP/1.1 " + status + " Said\r\n");
        answer.append("Content-Type: application/json; charset=utf-8\r\n");
        Arrays.stream(fields).forEach(field -> answer.append(field).append("\r\n"));
        answer.append("Content-Length: ").append(body.getBytes(StandardCharsets.ISO_8859_1).length);
        return answer.append("\r\n\r\n").append(body).toString();
    }

    static String status(String answer) {
        return answer.isEmpty() ? "" : answer.substring(9, 12);
    }

    static String body(String answer) {
        int end = answer.indexOf("\r\n\r\n");
        return end < 0 ? "" : answer.substring(end + 4);
    }

    @Override
    public void close() throws IOException {
        listener.close().syncUninterruptibly();
        doors.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        host.close();
    }
}
