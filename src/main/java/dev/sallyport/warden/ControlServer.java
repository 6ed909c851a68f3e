package dev.sallyport.warden;

import dev.sallyport.control.ApiJson;
import dev.sallyport.control.ControlSocket;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// The control API's socket. It is made inside a directory that only we can enter, and comes to its
/// own name when its mode is set: whoever finds it, finds it private.
final class ControlServer implements AutoCloseable {
    private static final int BACKLOG = 1_024;

    private final Channel channel;
    private final Path socket;

    private ControlServer(Channel channel, Path socket) {
        this.channel = channel;
        this.socket = socket;
    }

    /// The caller holds the instance lock.
    static ControlServer open(EventLoop loop, Patron patron, List<Operation> table, Leases leases)
            throws IOException {
        ControlSocket.clear(patron.home());
        Path socket = patron.home().controlSocket();
        Path unnamed = socket.resolveSibling("control.new");
        Files.deleteIfExists(unnamed);
        Channel channel =
                new ServerBootstrap()
                        .group(loop)
                        .channel(EpollServerDomainSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .childHandler(new ControlPipeline(table, leases, patron.person().uid()))
                        .bind(new DomainSocketAddress(unnamed.toString()))
                        .syncUninterruptibly()
                        .channel();
        Files.setPosixFilePermissions(unnamed, PosixFilePermissions.fromString("rw-------"));
        if (patron.guest().isPresent()) {
            Files.setAttribute(unnamed, "unix:uid", patron.person().uid());
        }
        Files.move(unnamed, socket, StandardCopyOption.ATOMIC_MOVE);
        return new ControlServer(channel, socket);
    }

    Path socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        channel.close().syncUninterruptibly();
        Files.deleteIfExists(socket);
    }

    /// The handlers of a control connection. The peers are trusted, so the stock codec will do;
    /// they may still be buggy, so everything is bounded.
    static final class ControlPipeline extends ChannelInitializer<EpollDomainSocketChannel> {
        private static final System.Logger LOG = System.getLogger(ControlPipeline.class.getName());
        private static final int CONNECTIONS_MAX = 4_096;

        /// So many more are told why they are refused; further ones are only closed.
        private static final int REFUSED_AT_ONCE_MAX = 256;

        private static final int IDLE_SECONDS_MAX = 60;
        private static final int HEAD_BYTES_MAX = 8_192;

        private final List<Operation> table;
        private final Leases leases;
        private final int ownUid;
        private final AtomicInteger connections = new AtomicInteger();

        ControlPipeline(List<Operation> table, Leases leases, int ownUid) {
            this.table = table;
            this.leases = leases;
            this.ownUid = ownUid;
        }

        @Override
        protected void initChannel(EpollDomainSocketChannel channel) throws IOException {
            Optional<Role> role = Role.of(channel.peerCredentials().uid(), ownUid);
            int open = connections.incrementAndGet();
            channel.closeFuture().addListener(_ -> connections.decrementAndGet());
            // Root must be able to end what somebody else keeps busy.
            boolean full = open > CONNECTIONS_MAX && !role.equals(Optional.of(Role.ROOT));
            if (role.isEmpty() || (full && open > CONNECTIONS_MAX + REFUSED_AT_ONCE_MAX)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "a control connection was refused: " + channel.peerCredentials());
                var _ = channel.close();
                return;
            }
            channel.pipeline()
                    .addLast(new IdleStateHandler(0, 0, IDLE_SECONDS_MAX))
                    .addLast(new HttpServerCodec(HEAD_BYTES_MAX, HEAD_BYTES_MAX, HEAD_BYTES_MAX))
                    .addLast(new HttpObjectAggregator(ApiJson.BODY_BYTES_MAX, true))
                    .addLast(
                            new ControlConnection(
                                    full
                                            ? Dispatcher.full(role.get())
                                            : new Dispatcher(table, role.get()),
                                    leases));
        }

        /// One control connection: one request at a time, each on a virtual thread. Leases hang on
        /// it.
        private static final class ControlConnection
                extends SimpleChannelInboundHandler<FullHttpRequest> implements Leases.Holder {
            private static final System.Logger LOG =
                    System.getLogger(ControlConnection.class.getName());

            private final Dispatcher dispatcher;
            private final Leases leases;
            private boolean busy;
            private volatile boolean open = true;

            ControlConnection(Dispatcher dispatcher, Leases leases) {
                this.dispatcher = dispatcher;
                this.leases = leases;
            }

            @Override
            public boolean isOpen() {
                return open;
            }

            /// Our clients never send a request before they have the last answer; whoever does is
            /// not one.
            @Override
            protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
                if (busy || request.decoderResult().isFailure()) {
                    var _ = context.close();
                    return;
                }
                busy = true;
                HttpMethod method = request.method();
                String path = request.uri();
                byte[] body = ByteBufUtil.getBytes(request.content());
                request.content().setZero(0, request.content().writerIndex());
                Thread.ofVirtual()
                        .name("control " + method)
                        .start(() -> reply(context, dispatcher.answer(method, path, body, this)));
            }

            private void reply(ChannelHandlerContext context, Dispatcher.Answer answer) {
                ByteBuf json = Unpooled.copiedBuffer(answer.body(), StandardCharsets.UTF_8);
                FullHttpResponse response =
                        new DefaultFullHttpResponse(
                                HttpVersion.HTTP_1_1,
                                HttpResponseStatus.valueOf(answer.status()),
                                json);
                response.headers()
                        .set(HttpHeaderNames.CONTENT_TYPE, answer.type())
                        .set(HttpHeaderNames.CONTENT_LENGTH, json.readableBytes());
                context.executor()
                        .execute(
                                () -> {
                                    busy = false;
                                    var _ = context.writeAndFlush(response);
                                });
            }

            /// Whoever holds a lease or waits for an answer may be silent.
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event instanceof IdleStateEvent && !busy && !leases.holdsAny(this)) {
                    var _ = context.close();
                }
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                LOG.log(System.Logger.Level.INFO, "a control connection broke", cause);
                var _ = context.close();
            }

            @Override
            public void channelInactive(ChannelHandlerContext context) {
                open = false;
                Thread.ofVirtual().name("control end").start(() -> leases.release(this));
            }
        }
    }
}
