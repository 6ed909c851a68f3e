package dev.sallyport.page;

import dev.sallyport.page.PageDoor.PageCall;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/// The handlers of a connection to the page. Not a byte is read before the kernel has said whose it
/// is; those of other accounts are closed.
final class PagePipeline extends ChannelInitializer<Channel> {
    private static final System.Logger LOG = System.getLogger(PagePipeline.class.getName());
    static final int CONNECTIONS_MAX = 64;
    private static final int IDLE_SECONDS_MAX = 60;

    /// Servers on other ports of this address share their cookies with this one.
    private static final int HEAD_BYTES_MAX = 32 << 10;

    private static final int LINE_BYTES_MAX = 4 << 10;
    static final int BODY_BYTES_MAX = 64 << 10;

    private final CompletableFuture<PageDoor> door;
    private final Desk desk;
    private final ChannelGroup connections;
    private final AtomicInteger count = new AtomicInteger();

    /// @param door there as soon as the port is known
    PagePipeline(CompletableFuture<PageDoor> door, Desk desk, ChannelGroup connections) {
        this.door = door;
        this.desk = desk;
        this.connections = connections;
    }

    @Override
    protected void initChannel(Channel channel) {
        int open = count.incrementAndGet();
        channel.closeFuture().addListener(_ -> count.decrementAndGet());
        if (open > CONNECTIONS_MAX) {
            var _ = channel.close();
            return;
        }
        connections.add(channel);
        Thread.ofVirtual().name("page owner").start(() -> admit(channel));
    }

    private void admit(Channel channel) {
        OptionalInt uid = owner(channel);
        if (uid.isEmpty() || !desk.knows(uid.getAsInt())) {
            LOG.log(System.Logger.Level.DEBUG, "a connection to the page was refused: " + uid);
            var _ = channel.close();
            return;
        }
        PageConnection connection = new PageConnection(door.join(), uid.getAsInt());
        channel.eventLoop().execute(() -> begin(channel, connection));
    }

    private static OptionalInt owner(Channel channel) {
        try {
            return channel.remoteAddress() instanceof InetSocketAddress peer
                            && channel.localAddress() instanceof InetSocketAddress own
                    ? SocketOwner.uid(peer, own)
                    : OptionalInt.empty();
        } catch (IOException | NumberFormatException e) {
            LOG.log(System.Logger.Level.WARNING, "whose a connection is cannot be known", e);
            return OptionalInt.empty();
        }
    }

    private void begin(Channel channel, PageConnection connection) {
        channel.pipeline()
                .addLast(new IdleStateHandler(0, 0, IDLE_SECONDS_MAX))
                .addLast(new HttpServerCodec(LINE_BYTES_MAX, HEAD_BYTES_MAX, LINE_BYTES_MAX))
                .addLast(new HttpServerKeepAliveHandler())
                .addLast(new HttpObjectAggregator(BODY_BYTES_MAX, true))
                .addLast(connection);
        channel.config().setAutoRead(true);
    }

    /// Whose the other end of a connection over loopback is, as the kernel says. A port tells
    /// accounts apart as little as a cookie does; this is for TCP what peer credentials are for a
    /// Unix socket.
    static final class SocketOwner {
        private static final List<Path> TABLES =
                List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));

        /// Sockets in other states may have no owner any more, and then show root's number.
        private static final String ESTABLISHED = "01";

        private static final int LOCAL = 1;
        private static final int REMOTE = 2;
        private static final int STATE = 3;
        private static final int OWNER = 7;

        /// Empty when it is not on this machine, or gone. Blocks.
        static OptionalInt uid(InetSocketAddress peer, InetSocketAddress own) throws IOException {
            Set<String> there = written(peer);
            Set<String> here = written(own);
            for (Path table : TABLES) {
                if (!Files.exists(table)) {
                    continue;
                }
                try (BufferedReader lines =
                        Files.newBufferedReader(table, StandardCharsets.US_ASCII)) {
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        String[] fields = line.strip().split(" +", OWNER + 2);
                        if (fields.length > OWNER
                                && fields[STATE].equals(ESTABLISHED)
                                && there.contains(fields[LOCAL])
                                && here.contains(fields[REMOTE])) {
                            return OptionalInt.of(Integer.parseUnsignedInt(fields[OWNER]));
                        }
                    }
                }
            }
            return OptionalInt.empty();
        }

        /// A place as the tables have it. The kernel writes the four bytes of an address as one
        /// number of the machine. A socket for both versions of IP has the same four at its end.
        private static Set<String> written(InetSocketAddress place) {
            byte[] bytes = place.getAddress().getAddress();
            if (bytes.length != 4) {
                return Set.of();
            }
            StringBuilder hex = new StringBuilder();
            for (int i = 0; i < bytes.length; i++) {
                boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
                hex.append("%02X".formatted(bytes[little ? bytes.length - 1 - i : i]));
            }
            String here = hex + ":" + "%04X".formatted(place.getPort());
            return Set.of(here, "0000000000000000" + mappedPrefix() + here);
        }

        private static String mappedPrefix() {
            return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? "FFFF0000" : "0000FFFF";
        }
    }

    /// One connection of a browser, whose account is known: one request at a time, each on a
    /// virtual thread.
    static final class PageConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
        private static final System.Logger LOG = System.getLogger(PageConnection.class.getName());

        private final PageDoor door;
        private final int uid;
        private boolean busy;
        private Optional<EventStream> stream = Optional.empty();

        PageConnection(PageDoor door, int uid) {
            this.door = door;
            this.uid = uid;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            if (busy) {
                var _ = context.close();
                return;
            }
            busy = true;
            Optional<HttpResponseStatus> objection = door.objection(request);
            if (objection.isPresent()) {
                var _ =
                        context.writeAndFlush(PageAnswer.refusal(objection.get()))
                                .addListener(ChannelFutureListener.CLOSE);
                return;
            }
            HttpMethod method = request.method();
            PageCall call =
                    new PageCall(
                            method,
                            request.uri(),
                            door.cookies().of(request.headers()),
                            request.content().toString(StandardCharsets.UTF_8),
                            uid);
            if (call.is(HttpMethod.GET, "/v1/events") && door.isOpen(call)) {
                follow(context, call);
                return;
            }
            Thread.ofVirtual()
                    .name("page " + method)
                    .start(() -> reply(context, door.answer(call)));
        }

        private void reply(ChannelHandlerContext context, FullHttpResponse response) {
            context.executor()
                    .execute(
                            () -> {
                                busy = false;
                                var _ = context.writeAndFlush(response);
                            });
        }

        /// From now on it is a stream, and stays busy.
        private void follow(ChannelHandlerContext context, PageCall call) {
            EventStream wanted = new EventStream(context.channel(), () -> door.isOpen(call));
            if (!door.feed().hasRoom()) {
                reply(context, PageAnswer.refusal(HttpResponseStatus.TOO_MANY_REQUESTS));
                return;
            }
            var _ = context.writeAndFlush(PageAnswer.stream());
            stream = Optional.of(wanted);
            if (!door.feed().add(wanted)) {
                wanted.end();
            }
        }

        /// Whoever waits for an answer, or looks on, may be silent.
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof IdleStateEvent && !busy) {
                var _ = context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.log(System.Logger.Level.DEBUG, "a connection of the page broke", cause);
            var _ = context.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            stream.ifPresent(door.feed()::remove);
        }
    }
}
