package dev.sallyport.carry;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;

/// Stands in the pipeline of a stream and tells its [CarriedChannel] what becomes of it.
final class StreamFeed extends ChannelInboundHandlerAdapter {
    private final CarriedChannel carried;
    private boolean answerDue;

    /// At the gateway's end, where the head was read before.
    StreamFeed(CarriedChannel carried) {
        this.carried = carried;
    }

    /// At the other end, where the gateway's yes comes first.
    static StreamFeed ofClient(CarriedChannel carried) {
        StreamFeed feed = new StreamFeed(carried);
        feed.answerDue = true;
        return feed;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Http2DataFrame data && !answerDue) {
            carried.arrived(data);
        } else if (answerDue && message instanceof Http2HeadersFrame head && isYes(head)) {
            answerDue = false;
        } else {
            ReferenceCountUtil.release(message);
            var _ = ctx.close();
        }
    }

    private static boolean isYes(Http2HeadersFrame head) {
        return !head.isEndStream()
                && HttpResponseStatus.OK.codeAsText().contentEquals(head.headers().status());
    }

    /// Resets are not flow-controlled, so they come beside the frames.
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Http2ResetFrame) {
            carried.broken("the connection was reset by the other side");
        }
        ReferenceCountUtil.release(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            carried.writable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        carried.gone();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        carried.broken("the stream failed");
        var _ = ctx.close();
    }
}
