package dev.sallyport.carry;

import dev.sallyport.fixture.FakeGateway;
import dev.sallyport.host.GatewayClient;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.FileDescriptor;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLPeerUnverifiedException;

/// Both machines in one: the gateway's public port, and sockets of a sandbox that are carried to
/// it.
public final class CarryRig implements AutoCloseable, CarryClient.Events {
    public static final String SESSION = "00000000000000aa";

    public final CarryPki pki = new CarryPki();
    public final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());

    /// What the client said of its connections.
    public final List<String> events = new CopyOnWriteArrayList<>();

    /// The certificates of those that were let in.
    public final List<X509Certificate> shown = new CopyOnWriteArrayList<>();

    public final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Consumer<Channel> authenticated;
    private volatile Channel port;
    public final CarryClient client;

    /// @param authenticated gets each connection that has shown a certificate
    public CarryRig(Consumer<Channel> authenticated) {
        this.authenticated = authenticated;
        this.port = listen(0, pki.serverContext());
        this.client = client();
    }

    public CarryClient client() {
        return new CarryClient(loops, dialler(port()), this);
    }

    /// Who has a network, and connects for those that carry.
    public Dialler dialler(int to) {
        GatewayClient network = FakeGateway.client(loops.next());
        return (made, failed) ->
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    FileDescriptor connected;
                                    try {
                                        connected = network.connect("127.0.0.1:" + to);
                                    } catch (IOException e) {
                                        failed.accept(e.getMessage());
                                        return;
                                    }
                                    made.accept(connected);
                                });
    }

    public int port() {
        return ((InetSocketAddress) port.localAddress()).getPort();
    }

    /// The gateway's process is gone, and with it all of its connections.
    public void stopServer() {
        port.close().syncUninterruptibly();
        connections.close().syncUninterruptibly();
    }

    public void startServer(int on, SslContext context) {
        port = listen(on, context);
    }

    private Channel listen(int on, SslContext context) {
        return new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel made) {
                                connections.add(made);
                                made.pipeline()
                                        .addLast("tls", context.newHandler(made.alloc()))
                                        .addLast("greeting", new Greeting());
                            }
                        })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), on))
                .syncUninterruptibly()
                .channel();
    }

    /// A socket of the sandbox; what is accepted there is carried as if `dialled` had been dialled.
    public int socket(CarryClient by, InetSocketAddress dialled) {
        Channel listener =
                new ServerBootstrap()
                        .group(loops)
                        .channel(EpollServerSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, 1_024)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel accepted) {
                                        by.carry(accepted, dialled);
                                    }
                                })
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .syncUninterruptibly()
                        .channel();
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    public int socket(String address, int dialledPort) {
        return socket(client, at(address, dialledPort));
    }

    public static InetSocketAddress at(String address, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    @Override
    public void connected() {
        events.add("connected");
    }

    @Override
    public void refused(String why) {
        events.add("refused: " + why);
    }

    @Override
    public void lost(String why) {
        events.add("lost: " + why);
    }

    public boolean heard(String kind) {
        return events.stream().anyMatch(event -> event.startsWith(kind));
    }

    @Override
    public void close() {
        client.close();
        stopServer();
        var _ = loops.shutdownGracefully(200, 2_000, TimeUnit.MILLISECONDS).syncUninterruptibly();
    }

    private final class Greeting extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
            if (event instanceof SslHandshakeCompletionEvent handshake) {
                if (!handshake.isSuccess() || !show(ctx)) {
                    var _ = ctx.close();
                    return;
                }
                authenticated.accept(ctx.channel());
            }
            ctx.fireUserEventTriggered(event);
        }

        private boolean show(ChannelHandlerContext ctx) {
            try {
                shown.add(
                        (X509Certificate)
                                ctx.pipeline()
                                        .get(SslHandler.class)
                                        .engine()
                                        .getSession()
                                        .getPeerCertificates()[0]);
                return true;
            } catch (SSLPeerUnverifiedException _) {
                return false;
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var _ = ctx.close();
        }
    }
}
