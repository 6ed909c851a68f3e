package dev.sallyport.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/// The warden's end of one [RecordLane]: a batch comes in, is recorded, and is answered.
final class RecordDesk extends SimpleChannelInboundHandler<ByteBuf> {
    private final WardenListener listener;
    private final Consumer<String> ended;
    private boolean broken;

    private RecordDesk(WardenListener listener, Consumer<String> ended) {
        this.listener = listener;
        this.ended = ended;
    }

    /// @param ended told when the lane is over
    static void open(Channel lane, WardenListener listener, Consumer<String> ended) {
        lane.pipeline()
                .addLast(
                        new LengthFieldBasedFrameDecoder(
                                EventCodec.LENGTH_BYTES + EventCodec.BATCH_BYTES_MAX,
                                0,
                                EventCodec.LENGTH_BYTES,
                                0,
                                EventCodec.LENGTH_BYTES))
                .addLast(new RecordDesk(listener, ended));
        // The answer to nothing: the lane is open.
        answer(lane, List.of());
        lane.config().setAutoRead(true);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) throws IOException {
        if (broken) {
            return;
        }
        Channel lane = context.channel();
        if (!lane.isWritable()) {
            throw new ChannelException("the gateway does not read what became of its events");
        }
        answer(lane, listener.record(EventCodec.decode(frame)));
    }

    private static void answer(Channel lane, List<RecordOutcome> outcomes) {
        ByteBuf answer = lane.alloc().ioBuffer(EventCodec.COUNT_BYTES + outcomes.size());
        answer.writeShort(outcomes.size());
        outcomes.forEach(outcome -> answer.writeByte(outcome.code()));
        var _ = lane.writeAndFlush(answer, lane.voidPromise());
    }

    /// Batches that arrived together with a violation are dropped.
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        broken = true;
        ended.accept(String.valueOf(cause.getMessage()));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended.accept("the gateway closed a record lane");
    }
}
