package dev.sallyport.egress;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.util.function.LongPredicate;

/// One direction of a tunnel, at the end where its bytes come from. It reads only while the other
/// end takes what it is given, so a tunnel holds one read and one send buffer at most.
final class Flow extends ChannelInboundHandlerAdapter {
    private final Tunnel tunnel;
    private final Channel source;
    private final Channel sink;
    private final Check check;
    private final LongPredicate budget;
    private boolean open;
    private boolean dry;

    /// What may be passed on now; takes ownership.
    interface Check {
        ByteBuf pass(ByteBuf bytes) throws RefusedException;
    }

    /// @param budget counts bytes before they are passed on; false when they may not be
    Flow(Tunnel tunnel, Channel source, Channel sink, Check check, LongPredicate budget) {
        this.tunnel = tunnel;
        this.source = source;
        this.sink = sink;
        this.check = check;
        this.budget = budget;
    }

    /// Reads from now on.
    void open() {
        open = true;
        demand();
    }

    void demand() {
        if (open && !dry && sink.isWritable()) {
            source.read();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        pass((ByteBuf) message);
    }

    /// Takes ownership; whoever calls it flushes.
    void pass(ByteBuf bytes) {
        if (!sink.isActive()) {
            bytes.release();
            return;
        }
        tunnel.moved();
        try {
            write(check.pass(bytes));
        } catch (RefusedException e) {
            tunnel.cut(e.refusal());
        }
    }

    private void write(ByteBuf clear) {
        if (budget.test(clear.readableBytes())) {
            var _ = sink.write(clear, sink.voidPromise());
        } else {
            clear.release();
            tunnel.cut(Refusal.BUDGET_SPENT);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        sink.flush();
        demand();
    }

    /// The source is also where the other direction goes to.
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            tunnel.opposite(this).demand();
        }
    }

    /// The source has sent all it will send; the other direction goes on.
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent && !dry) {
            dry = true;
            whenFlushed(
                    _ -> ((DuplexChannel) sink).shutdownOutput().addListener(_ -> tunnel.shut()));
        }
    }

    /// The source is gone. What it sent before still goes through.
    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        dry = true;
        whenFlushed(ChannelFutureListener.CLOSE);
        tunnel.gone();
    }

    private void whenFlushed(ChannelFutureListener next) {
        sink.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(next);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        tunnel.failed(cause);
        var _ = ctx.close();
    }
}
