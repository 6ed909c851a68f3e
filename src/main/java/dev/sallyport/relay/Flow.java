package dev.sallyport.relay;

import dev.sallyport.policy.Refusal;
import dev.sallyport.upstream.ReadTurns;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.util.function.LongPredicate;

/// One direction of a tunnel, at the end where its bytes come from. It reads only while the other
/// end takes what it is given, so a tunnel holds one read and one send buffer at most.
///
/// Once nobody here has to see its bytes, only the first ones that have arrived are read, and the
/// others follow inside the kernel ([Splice]). So the end of a connection and its faults are
/// noticed as for all others, and a small message costs no pipe.
public final class Flow extends ChannelInboundHandlerAdapter {
    /// A read that has at least so many bytes and fills its buffer has left others behind.
    public static final int READ_BYTES = 16 * 1_024;

    private final Tunnel tunnel;
    private final Channel source;
    private final Channel sink;
    private final Check check;
    private final LongPredicate budget;
    private final Splice splice;
    private boolean open;
    private boolean unseen;
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
        this.splice = new Splice(source, sink);
    }

    /// Reads from now on.
    public void open() {
        open = true;
        demand();
    }

    void demand() {
        if (open && !dry && sink.isWritable() && splice.isEmpty()) {
            source.read();
        }
    }

    /// From now on nobody has to see what passes.
    public void passUnseen() {
        unseen = true;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        boolean more = bytes.readableBytes() >= READ_BYTES && !bytes.isWritable();
        pass(bytes);
        if (more && unseen && sink.isActive() && !tunnel.isOver()) {
            passRest(ctx);
        }
    }

    private void passRest(ChannelHandlerContext ctx) {
        try {
            int bytes = splice.fill();
            if (bytes > 0) {
                ReadTurns.unseen(source, bytes);
                ChannelPromise passed = sink.newPromise();
                passed.addListener(_ -> demand());
                write(splice.filling(), bytes, passed);
            }
        } catch (IOException e) {
            exceptionCaught(ctx, e);
        }
    }

    /// Takes ownership; whoever calls it flushes.
    public void pass(ByteBuf bytes) {
        if (!sink.isActive()) {
            bytes.release();
            return;
        }
        tunnel.moved();
        try {
            ByteBuf clear = fitted(check.pass(bytes));
            write(clear, clear.readableBytes(), sink.voidPromise());
        } catch (RefusedException e) {
            tunnel.cut(e.refusal());
        }
    }

    /// What waits is counted by its bytes, not by the memory around them: whoever sends one byte at
    /// a time, to somebody who does not read, could have us hold thousands of times as much.
    private ByteBuf fitted(ByteBuf bytes) {
        int size = bytes.readableBytes();
        if (size * 2L >= bytes.capacity()) {
            return bytes;
        }
        try {
            return sink.alloc().ioBuffer(size).writeBytes(bytes);
        } finally {
            bytes.release();
        }
    }

    private void write(ReferenceCounted piece, int bytes, ChannelPromise passed) {
        if (budget.test(bytes)) {
            var _ = sink.write(piece, passed);
        } else {
            piece.release();
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

    /// The tunnel is over.
    void end() {
        splice.close();
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
