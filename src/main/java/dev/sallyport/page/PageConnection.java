package dev.sallyport.page;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.timeout.IdleStateEvent;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// One connection of a browser, whose account is known: one request at a time, each on a virtual
/// thread.
final class PageConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
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
        Thread.ofVirtual().name("page " + method).start(() -> reply(context, door.answer(call)));
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
