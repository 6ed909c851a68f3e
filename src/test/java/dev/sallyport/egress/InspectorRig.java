package dev.sallyport.egress;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.Authority;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.fixture.LiveSessions;
import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.Door;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.RequestQuota;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonRules;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.LiveSession;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// An inspector behind a real socket on loopback, as the gateway sets one up: auto-read off, the
/// first bytes read by somebody else.
final class InspectorRig implements AutoCloseable {
    static final String HOST = "api.example.com";
    static final String TUNNELLED = "tunnel.example.net";
    static final SessionId SESSION = new SessionId("00000000000000aa");

    final List<AuditEvent> recorded = new CopyOnWriteArrayList<>();
    final AtomicInteger doorsOpen = new AtomicInteger();
    final Authority authority;
    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final Channel listener;

    /// What a test may set up otherwise.
    record Setup(Door door, Limits limits, boolean authority, String permitted) {
        static Setup of(Door door) {
            return new Setup(door, Limits.standard(), true, HOST);
        }
    }

    InspectorRig(Door door) throws InterruptedException {
        this(Setup.of(door));
    }

    InspectorRig(Setup setup) throws InterruptedException {
        List<EgressRule> rules = List.of(rule(HOST, true), rule(TUNNELLED, false));
        Policy policy = new Policy(SESSION, List.of(), new Egress(rules, false));
        Instant end = Instant.now().plus(Duration.ofDays(1));
        authority = Authority.create(SESSION, policy.inspectedHosts(), end);
        TlsInspector inspector =
                new TlsInspector(
                        setup.authority() ? Optional.of(authority) : Optional.empty(),
                        terms(policy, setup.limits()),
                        (_, _) -> new Opened(setup.door()),
                        setup.limits());
        EgressPermit permit = permit(policy, setup.permitted());
        listener =
                new ServerBootstrap()
                        .group(loops)
                        .channel(EpollServerSocketChannel.class)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childOption(
                                ChannelOption.WRITE_BUFFER_WATER_MARK,
                                new WriteBufferWaterMark(64 * 1_024, 128 * 1_024))
                        .childHandler(
                                new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        channel.pipeline()
                                                .addLast(new FirstBytes(inspector, permit));
                                    }
                                })
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .sync()
                        .channel();
    }

    private ConnectionTerms terms(Policy policy, Limits limits) {
        LiveSession session =
                LiveSessions.of(SESSION, "test", policy, new CredentialBook(List.of()));
        RefusalLog log =
                new RefusalLog(
                        SESSION,
                        event -> {
                            recorded.add(event);
                            return CompletableFuture.completedFuture(null);
                        });
        return new ConnectionTerms(
                () -> session,
                (_, _, _) -> new IgnoredBody(),
                limits.http(),
                new RequestQuota(limits.sharing(), new RequestQuota.Total(limits.sharing())),
                log);
    }

    private static EgressRule rule(String host, boolean inspected) {
        Inspection inspection =
                new Inspection(
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        Optional.empty(),
                        JsonRules.NONE,
                        false,
                        List.of(),
                        Optional.empty(),
                        false);
        return new EgressRule(
                new HostPattern(HostPattern.Breadth.EXACT, new HostName(host)),
                EgressRule.PORTS,
                Reach.PUBLIC,
                inspected ? Optional.of(inspection) : Optional.empty(),
                "test");
    }

    private static EgressPermit permit(Policy policy, String host) {
        return switch (policy.decide(new HostName(host), 443)) {
            case Decision.Allow<EgressPermit>(EgressPermit permit) -> permit;
            case Decision.Deny<EgressPermit>(var refusal) -> throw new AssertionError(refusal);
        };
    }

    int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private final class Opened implements WebDoors.Connection {
        private final Door door;

        Opened(Door door) {
            this.door = door;
            doorsOpen.incrementAndGet();
        }

        @Override
        public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
            return door.open(session, head, responder);
        }

        @Override
        public void close() {
            doorsOpen.decrementAndGet();
        }
    }

    /// Stands for whoever reads and checks the hello.
    private static final class FirstBytes extends ChannelInboundHandlerAdapter {
        private final Inspector inspector;
        private final EgressPermit permit;

        FirstBytes(Inspector inspector, EgressPermit permit) {
            this.inspector = inspector;
            this.permit = permit;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.read();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ctx.pipeline().remove(this);
            inspector.take(ctx.channel(), permit, (ByteBuf) message);
        }
    }
}
