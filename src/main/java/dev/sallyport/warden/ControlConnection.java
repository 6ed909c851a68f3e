package dev.sallyport.warden;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.IdleStateEvent;
import java.nio.charset.StandardCharsets;

/// One control connection: one request at a time, each on a virtual thread. Leases hang on it.
final class ControlConnection extends SimpleChannelInboundHandler<FullHttpRequest>
        implements Leases.Holder {
    private static final System.Logger LOG = System.getLogger(ControlConnection.class.getName());

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

    /// Our clients never send a request before they have the last answer; whoever does is not one.
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
                        HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(answer.status()), json);
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
