package dev.sallyport.gateway;

import dev.sallyport.carry.CarryServer;
import dev.sallyport.carry.CarryTls;
import dev.sallyport.channel.Message;
import dev.sallyport.config.TrustedFiles;
import dev.sallyport.credential.CertifiedKey;
import dev.sallyport.fleet.FleetNames;
import dev.sallyport.policy.SessionId;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.FileDescriptor;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The port at which sandboxes of other machines come in (ADR 37). A connection belongs to the
/// session that its certificate names, if the warden has said that this very certificate is good
/// for it; that is here what the socket is on one machine. Whoever has no certificate can say one
/// thing: a request that a host has signed.
///
/// Messages of the warden come on the channel's event loop, connections on all others.
final class RemotePort {
    private static final Logger LOG = System.getLogger(RemotePort.class.getName());

    /// Of the certificate that a connection has shown.
    private static final AttributeKey<String> SHA_256 =
            AttributeKey.valueOf(RemotePort.class, "sha256");

    private static final long HANDSHAKE_MILLIS_MAX = 10_000;
    private static final long CLOSE_MILLIS_MAX = 1_000;

    private final EventLoopGroup loops;
    private final Knocks knocks;
    private final Arrivals arrivals = new Arrivals();
    private final Map<SessionId, Known> sessions = new ConcurrentHashMap<>();
    private volatile ChannelGroup strangers = newGroup();
    private volatile @Nullable SslContext tls;
    private @Nullable Channel listener;

    /// A certificate that somebody has shown.
    ///
    /// @param session that it names
    /// @param sha256 of all of it
    private record Shown(Optional<SessionId> session, String sha256) {
        static Shown of(X509Certificate certificate) {
            try {
                return new Shown(
                        FleetNames.session(certificate),
                        TrustedFiles.digest(certificate.getEncoded()));
            } catch (CertificateEncodingException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /// A session, and by which certificates it is known until when.
    private record Known(
            SessionSockets sockets, Map<String, Instant> badges, ChannelGroup connections) {}

    /// What joins it when it has been closed is closed.
    private static ChannelGroup newGroup() {
        return new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    }

    RemotePort(EventLoopGroup loops, Consumer<Message> warden) {
        this.loops = loops;
        this.knocks = new Knocks(warden, arrivals);
    }

    /// Opens the port, or changes what it goes by.
    void open(Message.PublicPort port, List<FileDescriptor> descriptors) {
        CertifiedKey own = CertifiedKey.of(port.chainPem(), port.key());
        SslContext before = tls;
        try {
            tls = server(own, port);
            ReferenceCountUtil.release(before);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            LOG.log(Level.ERROR, "the public port is not opened, or not changed", e);
            descriptors.forEach(Sessions::discard);
            return;
        } finally {
            own.wipe();
        }
        knocks.know(port.hostKeys(), port.codes(), port.pods());
        if (!descriptors.isEmpty()) {
            shut();
            listener = listen(descriptors.getFirst());
        }
    }

    private static SslContext server(CertifiedKey own, Message.PublicPort port)
            throws GeneralSecurityException {
        byte[] key = own.privateKey().getEncoded();
        try {
            return CarryTls.server(port.chainPem(), key, port.authorities());
        } finally {
            Arrays.fill(key, (byte) 0);
        }
    }

    private Channel listen(FileDescriptor descriptor) {
        return new ServerBootstrap()
                .group(loops)
                .channelFactory(() -> new EpollServerSocketChannel(descriptor.intValue()))
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                begin(channel);
                            }
                        })
                .register()
                .channel();
    }

    void begin(Channel channel) {
        SslContext context = tls;
        if (context == null || !arrivals.admits(channel)) {
            channel.unsafe().closeForcibly();
            return;
        }
        strangers.add(channel);
        SslHandler handler = context.newHandler(channel.alloc());
        handler.setHandshakeTimeoutMillis(HANDSHAKE_MILLIS_MAX);
        handler.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS_MAX);
        channel.pipeline().addLast("tls", handler).addLast("arrival", new Arrival());
    }

    /// The warden answers a host.
    void answered(Message.Reply reply) {
        knocks.answered(reply);
    }

    /// A session of another machine, or one that is known by other certificates now.
    void know(SessionSockets sockets, Message.Badges badges) {
        Map<String, Instant> good =
                badges.badges().stream()
                        .collect(
                                Collectors.toMap(
                                        Message.Badge::sha256,
                                        badge -> Instant.parse(badge.expires()),
                                        (one, _) -> one));
        SessionId id = sockets.session().id();
        Known before = sessions.get(id);
        ChannelGroup connections = before == null ? newGroup() : before.connections();
        sessions.put(id, new Known(sockets, good, connections));
        connections.stream()
                .filter(channel -> !isGood(good, channel.attr(SHA_256).get()))
                .forEach(CarryServer::end);
    }

    private static boolean isGood(Map<String, Instant> badges, @Nullable String sha256) {
        Instant expires = sha256 == null ? null : badges.get(sha256);
        return expires != null && Instant.now().isBefore(expires);
    }

    /// The session is over.
    void forget(SessionId id) {
        Known known = sessions.remove(id);
        if (known != null) {
            known.connections().forEach(CarryServer::end);
            var _ = known.connections().close();
        }
    }

    /// Ends all connections from other machines.
    void close() {
        shut();
        tls = null;
        var _ = strangers.close();
        strangers = newGroup();
        sessions.replaceAll(
                (_, known) -> {
                    var _ = known.connections().close();
                    return new Known(known.sockets(), known.badges(), newGroup());
                });
    }

    private void shut() {
        Channel open = listener;
        listener = null;
        if (open != null) {
            var _ = open.close();
        }
    }

    /// Ends connections whose certificate has expired; called every few seconds.
    void expire() {
        for (Known known : sessions.values()) {
            known.connections().stream()
                    .filter(channel -> !isGood(known.badges(), channel.attr(SHA_256).get()))
                    .forEach(CarryServer::end);
        }
    }

    private void serve(Channel channel) {
        Optional<Shown> peer = CarryTls.peer(channel).map(Shown::of);
        String protocol = channel.pipeline().get(SslHandler.class).applicationProtocol();
        boolean carries = ApplicationProtocolNames.HTTP_2.equals(protocol);
        if (peer.isEmpty() && !carries) {
            knocks.serve(channel);
        } else if (peer.isPresent() && carries) {
            carry(channel, peer.get());
        } else {
            var _ = channel.close();
        }
    }

    /// The certificate is one of ours, or the handshake would have failed. Whether it is good for
    /// the session that it names is decided here, and again whenever the warden says so.
    private void carry(Channel channel, Shown peer) {
        channel.attr(SHA_256).set(peer.sha256());
        Optional<Known> known = peer.session().map(sessions::get);
        if (known.isEmpty() || !isGood(known.get().badges(), peer.sha256())) {
            CarryServer.refuse(channel.pipeline());
            return;
        }
        arrivals.known(channel);
        strangers.remove(channel);
        known.get().connections().add(channel);
        known.get().sockets().carry(channel);
        Known now = sessions.get(known.get().sockets().session().id());
        if (now == null
                || now.sockets() != known.get().sockets()
                || !isGood(now.badges(), peer.sha256())) {
            // It ended, or changed, in between.
            CarryServer.end(channel);
        }
    }

    /// What comes after the handshake.
    private final class Arrival extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
                ctx.fireUserEventTriggered(event);
                return;
            }
            if (handshake.isSuccess()) {
                serve(ctx.channel());
                ctx.pipeline().remove(this);
            } else {
                var _ = ctx.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = ctx.close();
        }
    }
}
