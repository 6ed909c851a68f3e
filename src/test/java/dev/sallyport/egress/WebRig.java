package dev.sallyport.egress;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.InjectedCredential;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.GatewayWork;
import dev.sallyport.fixture.LiveSessions;
import dev.sallyport.fixture.ReadLog;
import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.HeadForm;
import dev.sallyport.http.Http2Connection;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestConnection;
import dev.sallyport.http.RequestQuota;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
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
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/// The web door behind the real HTTP front, listening on loopback, with a record that a test can
/// read and break. Its connections are taken to be for [#HOST].
final class WebRig implements AutoCloseable {
    static final HostName HOST = new HostName("api.example.com");
    static final String SECRET_NAME = "key";
    static final String SECRET = "sk-pl4nted/S3cret+ThatNobodyMaySee0042";

    final List<AuditEvent> events = new CopyOnWriteArrayList<>();
    final ReadLog reads = new ReadLog(this::record);
    final SessionId id = SessionId.random();
    final JsonRoom json;
    volatile boolean recorderBroken;
    volatile CompletableFuture<Void> record = CompletableFuture.completedFuture(null);
    volatile LiveSession session;

    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Channel listener;
    private final WebDoors doors;
    private final EgressPermit permit;
    private final boolean tls;
    private final HeadForm form;
    private final boolean http2;

    /// What differs between rigs.
    record Terms(
            boolean tls, HeadForm form, int port, Limits limits, boolean learn, boolean http2) {
        static Terms plain() {
            return new Terms(false, HeadForm.WEB, 80, Limits.standard(), false, false);
        }

        static Terms encrypted() {
            return new Terms(true, HeadForm.WEB, 443, Limits.standard(), false, false);
        }

        Terms with(Limits other) {
            return new Terms(tls, form, port, other, learn, http2);
        }

        Terms with(HeadForm other) {
            return new Terms(tls, other, port, limits, learn, http2);
        }

        /// Its connections speak HTTP/2, as they do after TLS.
        Terms overHttp2() {
            return new Terms(tls, form, port, limits, learn, true);
        }

        Terms learning() {
            return new Terms(tls, form, port, limits, true, http2);
        }
    }

    WebRig(Terms terms, EgressRule... rules) {
        this(terms, JsonRoom.ofGateway(GatewayWork.directory()), rules);
    }

    WebRig(Terms terms, JsonRoom json, EgressRule... rules) {
        this.json = json;
        Limits limits = terms.limits();
        this.tls = terms.tls();
        this.form = terms.form();
        this.http2 = terms.http2();
        this.session = session(terms.learn(), HOST, rules);
        this.permit = permit(session.policy(), terms.port());
        RefusalLog log = new RefusalLog(id, this::record);
        WebTerms web =
                new WebTerms(
                        () -> session,
                        new Client(limits.upstream(), List.of()),
                        new WebAudit(reads, log),
                        new EgressBudget(id, limits.egress(), Usage.NONE, (_, _) -> {}),
                        json,
                        limits.egress(),
                        limits.approvals().bodyBytesMax());
        this.doors = (place, encrypted) -> new WebDoor(place, encrypted, web);
        ConnectionTerms connections =
                new ConnectionTerms(
                        () -> session,
                        (_, _, _) -> {
                            throw new AssertionError("each connection has its own door");
                        },
                        limits.http(),
                        new RequestQuota(
                                limits.sharing(), new RequestQuota.Total(limits.sharing())),
                        log);
        this.listener = listen(connections);
    }

    private static EgressPermit permit(Policy policy, int port) {
        return switch (policy.decide(HOST, port)) {
            case Decision.Allow(var allowed) -> allowed;
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    /// @param owner the host that the secret belongs to
    LiveSession session(boolean learn, HostName owner, EgressRule... rules) {
        Secret secret = Secret.of(SECRET.getBytes(StandardCharsets.US_ASCII));
        return LiveSessions.of(
                id,
                "box",
                new Policy(id, List.of(), new Egress(List.of(rules), learn)),
                new CredentialBook(
                        List.of(), List.of(new InjectedCredential(SECRET_NAME, owner, secret))));
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
                                WebDoors.Connection door = doors.open(permit, tls);
                                channel.closeFuture().addListener(_ -> door.close());
                                if (http2) {
                                    Http2Connection.addTo(channel.pipeline(), terms.withDoor(door));
                                    return;
                                }
                                RequestConnection.addTo(
                                        channel.pipeline(), terms.withDoor(door), form);
                            }
                        })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
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
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
