package dev.sallyport.carry;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.atomic.AtomicInteger;

/// One direction between two connections whose bytes go to each other, at the end where its bytes
/// come from. It reads only while the other end takes what it is given. An end is passed on as an
/// end, and a reset as a reset. The two may be on different event loops.
final class Pump extends ChannelInboundHandlerAdapter {
    private static final int DIRECTIONS = 2;

    private final Channel sink;
    private final AtomicInteger ended;

    private Pump(Channel sink, AtomicInteger ended) {
        this.sink = sink;
        this.ended = ended;
    }

    /// Neither has auto-read; both have half-closure.
    static void join(Channel one, Channel other) {
        AtomicInteger ended = new AtomicInteger();
        one.pipeline().addLast("pump", new Pump(other, ended));
        other.pipeline().addLast("pump", new Pump(one, ended));
        if (one.isActive() && other.isActive()) {
            read(one);
            read(other);
        } else {
            // One went before anybody listened.
            CarriedChannel.reset(one);
            CarriedChannel.reset(other);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        var _ = sink.write(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        sink.flush();
        if (sink.isWritable()) {
            read(ctx.channel());
        }
    }

    /// Reading after the end would be a fault, and only its own event loop knows of that in time.
    private static void read(Channel channel) {
        if (!channel.eventLoop().inEventLoop()) {
            channel.eventLoop().execute(() -> read(channel));
        } else if (channel.isOpen() && !((DuplexChannel) channel).isInputShutdown()) {
            channel.read();
        }
    }

    /// The source is also where the other direction goes to.
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            read(sink);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            whenFlushed(
                    _ ->
                            ((DuplexChannel) sink)
                                    .shutdownOutput()
                                    .addListener(_ -> directionEnded(ctx.channel())));
        }
    }

    private void directionEnded(Channel source) {
        if (ended.incrementAndGet() == DIRECTIONS) {
            var _ = source.close();
            var _ = sink.close();
        }
    }

    /// The source is gone. What it sent before still goes through.
    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        whenFlushed(ChannelFutureListener.CLOSE);
    }

    private void whenFlushed(ChannelFutureListener next) {
        sink.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(next);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        CarriedChannel.reset(sink);
        CarriedChannel.reset(ctx.channel());
    }

    /// For connections that are joined: room for one read, and ends that are kept apart.
    static void prepare(Channel channel) {
        channel.config().setOption(ChannelOption.AUTO_READ, false);
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }
}
