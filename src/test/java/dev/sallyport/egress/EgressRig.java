package dev.sallyport.egress;

import com.sun.management.ThreadMXBean;
import dev.sallyport.approval.Asker;
import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.fixture.LiveSessions;
import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.HeadForm;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestConnection;
import dev.sallyport.http.RequestQuota;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonRules;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.LiveSession;
import dev.sallyport.session.Usage;
import dev.sallyport.upstream.Dialer;
import dev.sallyport.upstream.Resolver;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// The doors of one sandbox's egress on loopback: a port whose connections are to [#HOST], and the
/// proxy. The record can be read and broken; what has to be inspected or can be read goes to fakes.
final class EgressRig implements AutoCloseable {
    static final HostName HOST = new HostName("host.example");
    private static final WriteBufferWaterMark ANSWER_BYTES =
            new WriteBufferWaterMark(64 * 1_024, 128 * 1_024);

    final List<AuditEvent> events = new CopyOnWriteArrayList<>();
    final List<Usage> used = new CopyOnWriteArrayList<>();
    final List<String> inspected = new CopyOnWriteArrayList<>();
    final FakeWebDoors web = new FakeWebDoors();

    /// How often the session's rights were looked at.
    final AtomicInteger asked = new AtomicInteger();

    /// How many bytes were given to sandboxes from memory of this process.
    final AtomicLong copied = new AtomicLong();

    volatile boolean recorderBroken;
    volatile Runnable whenRecorded = () -> {};

    private final SessionId session = SessionId.random();
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final EgressTerms terms;
    private final Channel secure;
    private final Channel proxy;
    private volatile LiveSession rights;

    EgressRig(Limits limits, EgressRule... rules) {
        this.rights = rights(rules);
        RefusalLog log = new RefusalLog(session, this::record);
        this.terms =
                new EgressTerms(
                        () -> {
                            asked.incrementAndGet();
                            return rights;
                        },
                        limits.egress(),
                        new EgressBudget(
                                session, limits.egress(), Usage.NONE, (_, more) -> used.add(more)),
                        new EgressAudit(session, this::record, log),
                        new Dialer(limits.upstream(), Resolver.of(Optional.empty())),
                        (channel, permit, bytes) -> {
                            inspected.add(
                                    permit.host()
                                            + " "
                                            + bytes.readableBytes()
                                            + " "
                                            + names(channel));
                            bytes.release();
                            var _ = channel.close();
                        },
                        web);
        ConnectionTerms http =
                new ConnectionTerms(
                        () -> rights,
                        (_, _, _) -> {
                            throw new AssertionError("no front door");
                        },
                        limits.http(),
                        new RequestQuota(
                                limits.sharing(), new RequestQuota.Total(limits.sharing())),
                        log);
        this.secure =
                listen(
                        channel ->
                                channel.pipeline()
                                        .addLast(SecureConnection.transparent(terms, HOST, 443)));
        this.proxy = listen(channel -> proxied(channel, http));
    }

    private void proxied(Channel channel, ConnectionTerms http) {
        ProxyDoor door = new ProxyDoor(terms);
        channel.closeFuture().addListener(_ -> door.close());
        RequestConnection.addTo(channel.pipeline(), http.withDoor(door), HeadForm.PROXY);
    }

    /// A rule whose connections are tunnelled to `dial`.
    static EgressRule rule(String host, String dial, Integer... ports) {
        return rule(host, dial, Optional.empty(), ports);
    }

    static EgressRule inspectedRule(String host, String dial) {
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
        return rule(host, dial, Optional.of(inspection), 80, 443);
    }

    private static EgressRule rule(
            String host, String dial, Optional<Inspection> inspection, Integer... ports) {
        try {
            return new EgressRule(
                    HostPattern.parse(host),
                    new TreeSet<>(Set.of(ports)),
                    new Reach(false, Optional.of(dial), Optional.empty()),
                    inspection,
                    "test");
        } catch (dev.sallyport.policy.MalformedNameException e) {
            throw new AssertionError(e);
        }
    }

    static Limits limits(Limits.Egress egress) {
        Limits standard = Limits.standard();
        return new Limits(
                standard.http(),
                standard.sharing(),
                standard.git(),
                standard.push(),
                standard.mirror(),
                standard.dns(),
                standard.upstream(),
                egress,
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }

    private LiveSession rights(EgressRule... rules) {
        Policy policy = new Policy(session, List.of(), new Egress(List.of(rules), false));
        return LiveSessions.of(session, "box", policy, new CredentialBook(List.of(), List.of()));
    }

    void changeRules(EgressRule... rules) {
        rights = rights(rules);
    }

    /// From now on questions go to this person.
    void ask(Asker person) {
        rights = rights.asking(person);
    }

    private CompletableFuture<Void> record(AuditEvent event) {
        if (recorderBroken) {
            return CompletableFuture.failedFuture(new IllegalStateException("disk full"));
        }
        events.add(event);
        whenRecorded.run();
        return CompletableFuture.completedFuture(null);
    }

    private Channel listen(Consumer<Channel> pipeline) {
        return new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, ANSWER_BYTES)
                .childHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                channel.pipeline().addLast(new CopyCount());
                                pipeline.accept(channel);
                            }
                        })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    /// Of what is in its pipeline, besides what counts for us.
    private static List<String> names(Channel channel) {
        List<String> names = new ArrayList<>(channel.pipeline().names());
        names.remove(channel.pipeline().context(CopyCount.class).name());
        return names;
    }

    private final class CopyCount extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            if (message instanceof ByteBuf bytes) {
                copied.addAndGet(bytes.readableBytes());
            }
            var _ = ctx.write(message, promise);
        }
    }

    /// Connects to the port that stands for the host.
    RawSocket secure() {
        return new RawSocket(port(secure));
    }

    RawSocket proxy() {
        return new RawSocket(port(proxy));
    }

    private static int port(Channel listener) {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /// What was recorded of one kind, as `decision reason`.
    List<String> recorded(String kind) {
        return of(kind).map(
                        event ->
                                event.decision() + " " + event.detail().getOrDefault("reason", "-"))
                .toList();
    }

    /// What one detail of the events of a kind was.
    List<String> details(String kind, String key) {
        return of(kind).map(event -> event.detail().getOrDefault(key, "-")).toList();
    }

    private java.util.stream.Stream<AuditEvent> of(String kind) {
        return events.stream().filter(event -> event.kind().equals(kind));
    }

    Usage total() {
        return used.stream().reduce(Usage.NONE, Usage::plus);
    }

    /// Returns when every event loop has dealt with all that had arrived before.
    void drain() {
        for (int round = 0; round < 3; round++) {
            loops.forEach(loop -> loop.submit(() -> {}).syncUninterruptibly());
        }
    }

    /// By the threads that carry tunnels, since they began.
    long allocatedBytes() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (EventExecutor loop : loops) {
            long id = loop.submit(() -> Thread.currentThread().threadId()).get();
            sum += threads.getThreadAllocatedBytes(id);
        }
        return sum;
    }

    @Override
    public void close() {
        secure.close().syncUninterruptibly();
        proxy.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
