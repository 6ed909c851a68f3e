package dev.sallyport.gateway;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.carry.CarryServer;
import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.config.DiskFullException;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.GatewayWork;
import dev.sallyport.fixture.Grants;
import dev.sallyport.http.Door;
import dev.sallyport.policy.SessionId;
import io.netty.channel.Channel;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// A real gateway on loopback sockets, with the test in the place of the warden.
final class GatewayInProcess {
    final List<Message> toWarden = new CopyOnWriteArrayList<>();
    final List<AuditEvent> events = new CopyOnWriteArrayList<>();
    final List<String> halts = new CopyOnWriteArrayList<>();
    final Map<String, Integer> httpPorts = new ConcurrentHashMap<>();
    final Map<String, Integer> httpsPorts = new ConcurrentHashMap<>();
    final Map<String, Integer> proxyPorts = new ConcurrentHashMap<>();
    final Map<String, Integer> dnsUdpPorts = new ConcurrentHashMap<>();
    final Map<String, Integer> dnsTcpPorts = new ConcurrentHashMap<>();
    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Gateway gateway;

    /// Records everything at once, unless told otherwise.
    volatile boolean records = true;

    volatile boolean diskFull;

    GatewayInProcess(Limits limits, Door git) {
        this(limits, git, Optional.empty());
    }

    GatewayInProcess(Limits limits, Door git, Optional<Message.Resolver> resolver) {
        this(
                limits,
                (_, _, _, _, _) ->
                        new Gateway.GitDoors.Opened(
                                git,
                                (_, _, _, _) -> CompletableFuture.completedFuture(false),
                                _ -> {}),
                List.of(),
                resolver);
    }

    /// @param hosts those of git
    GatewayInProcess(Limits limits, Gateway.GitDoors git, Message.Host... hosts) {
        this(limits, git, List.of(hosts), Optional.empty());
    }

    private GatewayInProcess(
            Limits limits,
            Gateway.GitDoors git,
            List<Message.Host> hosts,
            Optional<Message.Resolver> resolver) {
        gateway =
                new Gateway(
                        loops,
                        toWarden::add,
                        this::record,
                        git,
                        GatewayWork.directory(),
                        halts::add);
        gateway.received(new Message.Configure(limits, hosts, resolver), List.of());
    }

    private CompletableFuture<Void> record(AuditEvent event) {
        events.add(event);
        CompletableFuture<Void> answer = new CompletableFuture<>();
        IOException problem =
                diskFull ? new DiskFullException("the disk is full") : new IOException("broken");
        loops.execute(
                records
                        ? () -> answer.complete(null)
                        : () -> answer.completeExceptionally(problem));
        return answer;
    }

    /// Attaches a session with its own listeners and waits until they are served.
    void attach(String session) throws IOException, InterruptedException {
        attach(session, new Message.Spent(0, 0, 0));
    }

    /// @param reach the hosts that it may reach besides git
    void attach(String session, Message.Spent spent, EgressText... reach)
            throws IOException, InterruptedException {
        attach(session, listeners -> message(session, spent, listeners, reach));
    }

    /// @param message what the warden says of the session, with these listeners
    void attach(String session, Function<List<ListenerKind>, Message.Attach> message)
            throws IOException, InterruptedException {
        List<FileDescriptor> descriptors = new ArrayList<>();
        for (ListenerKind kind : ListenerKind.values()) {
            descriptors.add(
                    switch (kind) {
                        case HTTP -> tcp(session, httpPorts);
                        case HTTPS -> tcp(session, httpsPorts);
                        case PROXY -> tcp(session, proxyPorts);
                        case DNS_UDP -> udp(session);
                        case DNS_TCP -> tcp(session, dnsTcpPorts);
                    });
        }
        List<ListenerKind> listeners = List.of(ListenerKind.values());
        gateway.received(message.apply(listeners), descriptors);
        awaitAttached(session);
    }

    void changeRights(String session, GrantText... grants) {
        change(
                session,
                new Message.Rights(List.of(grants), List.of(), false, GitSettings.STANDARD));
    }

    void changeReach(String session, boolean learn, EgressText... reach) {
        GrantText grant = grant("github.com/acme/app", "write");
        change(
                session,
                new Message.Rights(List.of(grant), List.of(reach), learn, GitSettings.STANDARD));
    }

    /// As the warden does when a person has rotated the secret of github.com.
    void changeSecret(String session, String value) {
        Secret secret = Secret.of(value.getBytes(StandardCharsets.US_ASCII));
        change(
                session,
                rights(),
                List.of(Message.HostSecret.stored("github.com", "x-access-token", secret)),
                List.of());
    }

    void tell(String session, String notice) {
        change(session, rights(), List.of(), List.of(notice));
    }

    private static Message.Rights rights() {
        return new Message.Rights(
                List.of(grant("github.com/acme/app", "write")),
                List.of(),
                false,
                GitSettings.STANDARD);
    }

    private void change(String session, Message.Rights rights) {
        change(session, rights, List.of(), List.of());
    }

    private void change(
            String session,
            Message.Rights rights,
            List<Message.HostSecret> secrets,
            List<String> notices) {
        gateway.received(
                new Message.Attach(
                        session,
                        "box",
                        rights,
                        secrets,
                        List.of(),
                        Optional.empty(),
                        new Message.Spent(0, 0, 0),
                        0,
                        List.of(),
                        notices),
                List.of());
    }

    /// What the warden says of other machines.
    void receive(Message message, FileDescriptor... descriptors) {
        gateway.received(message, List.of(descriptors));
    }

    /// What happens every few seconds.
    void tick() {
        gateway.tellFigures();
    }

    void detach(String session) {
        gateway.received(new Message.Detach(session), List.of());
    }

    /// Attaches a session whose sandbox is on another machine: it has no listener here.
    void attachRemote(String session) throws InterruptedException {
        gateway.received(message(session, new Message.Spent(0, 0, 0), List.of()), List.of());
        awaitAttached(session);
    }

    /// Serves a connection of the machine where this session's sandbox is.
    void carry(String session, Channel connection) {
        gateway.configured()
                .find(new SessionId(session))
                .ifPresentOrElse(
                        sockets -> sockets.carry(connection),
                        () -> CarryServer.refuse(connection.pipeline()));
    }

    void awaitAttached(String session) throws InterruptedException {
        Await.until(() -> toWarden.contains(new Message.Attached(session)));
    }

    static GrantText grant(String repo, String access) {
        return Grants.standard(repo, access);
    }

    /// A host whose connections are tunnelled to `dial`.
    static EgressText tunnel(String host, String dial, Integer... ports) {
        return new EgressText(
                host,
                List.of(ports),
                false,
                Optional.of(dial),
                Optional.empty(),
                Optional.empty(),
                "test");
    }

    /// What was recorded of one kind for a session.
    List<AuditEvent> recorded(String session, String kind) {
        return events.stream()
                .filter(event -> event.session().equals(session) && event.kind().equals(kind))
                .toList();
    }

    private static Message.Attach message(
            String session,
            Message.Spent spent,
            List<ListenerKind> listeners,
            EgressText... reach) {
        Secret secret = Secret.of("s3cret".getBytes(StandardCharsets.US_ASCII));
        return new Message.Attach(
                session,
                "box",
                new Message.Rights(
                        List.of(grant("github.com/acme/app", "write")),
                        List.of(reach),
                        false,
                        GitSettings.STANDARD),
                List.of(Message.HostSecret.stored("github.com", "x-access-token", secret)),
                List.of(),
                Optional.empty(),
                spent,
                0,
                listeners,
                List.of());
    }

    private static FileDescriptor tcp(String session, Map<String, Integer> ports)
            throws IOException {
        LinuxSocket socket = LinuxSocket.newSocketStream(false);
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 0));
        socket.listen(128);
        ports.put(session, socket.localAddress().getPort());
        return socket;
    }

    private FileDescriptor udp(String session) throws IOException {
        LinuxSocket socket = LinuxSocket.newSocketDgram(false);
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
        dnsUdpPorts.put(session, socket.localAddress().getPort());
        return socket;
    }

    void close() throws InterruptedException {
        httpPorts.keySet().forEach(this::detach);
        Thread.sleep(100);
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).await(5, TimeUnit.SECONDS);
    }
}
