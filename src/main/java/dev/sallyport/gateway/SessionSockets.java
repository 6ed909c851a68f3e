package dev.sallyport.gateway;

import dev.sallyport.carry.CarryServer;
import dev.sallyport.channel.ListenerKind;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.Authority;
import dev.sallyport.dns.DnsAnswers;
import dev.sallyport.dns.DnsRate;
import dev.sallyport.dns.DnsUdpHandler;
import dev.sallyport.egress.EgressAudit;
import dev.sallyport.egress.EgressBudget;
import dev.sallyport.egress.EgressTerms;
import dev.sallyport.egress.TlsInspector;
import dev.sallyport.egress.WebAudit;
import dev.sallyport.egress.WebDoor;
import dev.sallyport.egress.WebDoors;
import dev.sallyport.egress.WebTerms;
import dev.sallyport.forge.ApiDoor;
import dev.sallyport.http.ConnectionEntrance;
import dev.sallyport.http.ConnectionGate;
import dev.sallyport.http.ConnectionShare;
import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestQuota;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.LiveSession;
import dev.sallyport.session.NameTable;
import dev.sallyport.session.OutwardPorts;
import dev.sallyport.session.Usage;
import dev.sallyport.upstream.ReadTurns;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/// The listeners and connections of one sandbox, and the rights that hold on them. Whoever comes in
/// through these sockets is that sandbox; nothing it says can make it another.
final class SessionSockets {
    private static final WriteBufferWaterMark ANSWER_BYTES =
            new WriteBufferWaterMark(64 * 1_024, 128 * 1_024);
    private static final int REQUEST_READ_BYTES_MAX = 32 * 1_024;
    private static final int TUNNEL_READ_BYTES_MAX = 128 * 1_024;
    private static final int DATAGRAM_BYTES_MAX = 1_232;

    /// Connections of another machine: four that are in use, and as many that are about to end
    /// because their certificate was renewed.
    private static final int CARRIERS_MAX = 8;

    private final Shared shared;
    private final AtomicReference<LiveSession> rights;
    private final ChannelGroup listeners =
            new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final ChannelGroup connections =
            new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final ConnectionTerms terms;
    private final NameTable names;
    private final DnsAnswers answers;
    private final DnsRate dnsRate;
    private final EgressTerms egress;
    private final Optional<Authority> authority;
    private final ConnectionShare share;
    private final ConnectionShare dnsShare;
    private final PortDoors portDoors;
    private final ChannelGroup carriers =
            new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final ConnectionEntrance streams;
    private final ConnectionEntrance dnsStreams;
    private volatile Listed listed;

    private record Listed(Policy policy, List<OutwardPorts.Place> places) {}

    /// @param wanted asks the warden for sockets of this sandbox
    /// @param authority signs for inspected hosts; without one they are refused
    /// @param spent what the session used before this gateway knew it
    SessionSockets(
            LiveSession session,
            Shared shared,
            Optional<Authority> authority,
            Usage spent,
            Runnable wanted) {
        Limits limits = shared.limits();
        this.shared = shared;
        this.rights = new AtomicReference<>(session);
        this.terms =
                new ConnectionTerms(
                        rights::get,
                        shared.frontDoor(),
                        limits.http(),
                        new RequestQuota(limits.sharing(), shared.requests()),
                        new RefusalLog(session.id(), shared.recorder()));
        this.names = new NameTable(limits.egress().namesPerSandboxMax());
        this.answers = new DnsAnswers(rights::get, names, shared.recorder());
        this.dnsRate = new DnsRate(limits.dns());
        this.authority = authority;
        this.egress = egress(session, spent);
        this.share = share(limits.sharing().connectionsPerSandboxMax());
        this.dnsShare = share(limits.dns().tcpConnectionsPerSandboxMax());
        this.streams = entrance(share);
        this.dnsStreams = entrance(dnsShare);
        this.listed = new Listed(session.policy(), OutwardPorts.of(session.policy()));
        this.portDoors =
                new PortDoors(
                        this,
                        shared,
                        (descriptor, pipeline) -> accept(descriptor, share, pipeline),
                        wanted);
    }

    private ConnectionShare share(int connectionsMax) {
        int perSecond = shared.limits().sharing().requestsPerSecondPerSandboxMax();
        return new ConnectionShare(new ConnectionShare.Caps(connectionsMax, perSecond));
    }

    /// For streams, which belong to the event loops of the connections that carry them.
    private ConnectionEntrance entrance(ConnectionShare of) {
        return new ConnectionEntrance(
                of,
                shared.connections(),
                shared.loops().next(),
                stream -> {
                    var _ = stream.parent().eventLoop().register(stream);
                });
    }

    private EgressTerms egress(LiveSession session, Usage spent) {
        SessionId id = session.id();
        Limits.Egress limits = shared.limits().egress();
        EgressBudget budget = new EgressBudget(id, limits, spent, shared.meter());
        WebTerms others =
                new WebTerms(
                        rights::get,
                        shared.client(),
                        new WebAudit(shared.recorder(), terms.log()),
                        budget,
                        shared.json().share(),
                        limits,
                        shared.limits().approvals().bodyBytesMax());
        ApiDoor api = shared.apis().door(id, terms.log(), session.policy());
        WebDoors web =
                (permit, tls) ->
                        permit.isForGit()
                                ? new GitHostDoor(
                                        permit,
                                        tls,
                                        shared.frontDoor(),
                                        api,
                                        new WebDoor(permit, tls, others),
                                        shared.recorder())
                                : new WebDoor(permit, tls, others);
        return new EgressTerms(
                rights::get,
                limits,
                budget,
                new EgressAudit(id, shared.recorder(), terms.log()),
                shared.dialer(),
                new TlsInspector(authority, terms, web, shared.limits()),
                web);
    }

    /// Takes ownership of the descriptor. The future completes when the socket is served.
    ChannelFuture listen(ListenerKind kind, FileDescriptor descriptor) {
        return kind == ListenerKind.DNS_UDP
                ? receive(descriptor)
                : accept(descriptor, kind == ListenerKind.DNS_TCP ? dnsShare : share, behind(kind));
    }

    /// What serves a connection to one of the sockets that every sandbox has.
    private ChannelHandler behind(ListenerKind kind) {
        return switch (kind) {
            case HTTP -> front();
            case HTTPS -> new SecurePipeline(egress, names);
            case PROXY -> new ProxyPipeline(terms, egress);
            case DNS_TCP -> new DnsTcpPipeline(answers, dnsRate, shared.limits().dns());
            case DNS_UDP -> throw new IllegalArgumentException("datagrams have no connection");
        };
    }

    /// For a listed port of hosts.
    PortPipeline port(int listed) {
        return new PortPipeline(egress, names, front(), listed);
    }

    /// The listeners that come and go.
    PortDoors portDoors() {
        return portDoors;
    }

    private FrontPipeline front() {
        return new FrontPipeline(terms, egress, names, shared.recorder());
    }

    private ChannelFuture accept(
            FileDescriptor descriptor, ConnectionShare of, ChannelHandler pipeline) {
        return opened(
                new ServerBootstrap()
                        .group(shared.loops())
                        .channelFactory(() -> new EpollServerSocketChannel(descriptor.intValue()))
                        .handler(new ConnectionGate(of, shared.connections()))
                        .childHandler(served(pipeline))
                        .register());
    }

    /// Serves a connection of the machine on which this session's sandbox is. It has shown a
    /// certificate of this session and has agreed on HTTP/2. On its event loop.
    void carry(Channel connection) {
        if (carriers.size() >= CARRIERS_MAX) {
            var _ = connection.close();
            return;
        }
        carriers.add(connection);
        connection.config().setAutoRead(false);
        connection.pipeline().addFirst("turns", new ReadTurns(rights.get().id()));
        CarryServer.addTo(connection.pipeline(), this::carried);
    }

    /// A stream from another machine: served as the socket that was dialled there would be here,
    /// under the same limits. What no socket of the sandbox would accept is reset. Takes ownership
    /// of a stream that is not registered yet. From any thread.
    void carried(Channel stream, InetSocketAddress dialled) {
        Optional<ListenerKind> kind =
                Stream.of(ListenerKind.values())
                        .filter(one -> one.transport() == ListenerKind.Transport.TCP)
                        .filter(one -> accepts(one.address(), one.port(), dialled))
                        .findFirst();
        if (kind.isPresent()) {
            boolean dns = kind.get() == ListenerKind.DNS_TCP;
            stream.pipeline().addLast(served(behind(kind.get())));
            (dns ? dnsStreams : streams).offer(stream);
        } else if (isListed(dialled)) {
            stream.pipeline().addLast(served(port(dialled.getPort())));
            streams.offer(stream);
        } else {
            CarryServer.reset(stream);
        }
    }

    /// Whether a socket for a listed port of a host would be there.
    private boolean isListed(InetSocketAddress dialled) {
        Policy policy = rights.get().policy();
        Listed known = listed;
        if (known.policy() != policy) {
            known = new Listed(policy, OutwardPorts.of(policy));
            listed = known;
        }
        return known.places().stream()
                .anyMatch(place -> accepts(place.address(), place.port(), dialled));
    }

    private static boolean accepts(String address, int port, InetSocketAddress dialled) {
        return port == dialled.getPort()
                && (address.equals(OutwardPorts.ALL)
                        || address.equals(dialled.getAddress().getHostAddress()));
    }

    /// Joins the connections of the session, which closes what joins after its end.
    private ChannelHandler served(ChannelHandler pipeline) {
        boolean autoRead = pipeline instanceof DnsTcpPipeline;
        int readBytesMax =
                pipeline instanceof FrontPipeline ? REQUEST_READ_BYTES_MAX : TUNNEL_READ_BYTES_MAX;
        AdaptiveRecvByteBufAllocator reads =
                new AdaptiveRecvByteBufAllocator(512, 2_048, readBytesMax);
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel connection) {
                connections.add(connection);
                ChannelConfig config = connection.config();
                config.setAutoRead(autoRead);
                config.setOption(ChannelOption.TCP_NODELAY, true);
                config.setWriteBufferWaterMark(ANSWER_BYTES);
                config.setRecvByteBufAllocator(reads);
                connection.pipeline().addLast(pipeline);
            }
        };
    }

    private ChannelFuture receive(FileDescriptor descriptor) {
        return opened(
                new Bootstrap()
                        .group(shared.loops())
                        .channelFactory(() -> new EpollDatagramChannel(descriptor.intValue()))
                        .option(
                                ChannelOption.RECVBUF_ALLOCATOR,
                                new FixedRecvByteBufAllocator(DATAGRAM_BYTES_MAX))
                        .handler(new DnsUdpHandler(answers, dnsRate))
                        .register());
    }

    /// Joined when registered, because only then can it be closed; a session that has ended
    /// meanwhile closes it at once.
    private ChannelFuture opened(ChannelFuture registered) {
        return registered.addListener(_ -> listeners.add(registered.channel()));
    }

    /// As its rights are now.
    LiveSession session() {
        return rights.get();
    }

    /// From the next request on the new rights hold. The old secrets may be in use by requests that
    /// were permitted under the old rights; they are wiped when these have had their time.
    LiveSession changeRights(LiveSession session) {
        LiveSession old = rights.getAndSet(session);
        old.credentials().succeededBy(session.credentials());
        shared.client().end(old.credentials());
        return old;
    }

    /// Ends everything of this session at once.
    void close() {
        var _ = listeners.close();
        portDoors.close();
        streams.close();
        dnsStreams.close();
        carriers.forEach(CarryServer::end);
        var _ = carriers.close();
        var _ = connections.close();
        egress.inspector().close();
        terms.quota().close();
        shared.client().end(rights.get().credentials());
        rights.get().credentials().wipe();
        authority.ifPresent(Authority::wipe);
    }
}
