package dev.sallyport.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;

/// What one end of a tunnel has said before the other end is there. Whoever does not read still
/// gets it when the sender has closed its side: the event loop then takes all that the socket
/// holds.
///
/// Belongs to one event loop. It holds no more than a socket's receive buffer.
public final class EarlyBytes {
    private ByteBuf held;
    private boolean ended;

    /// @param first what is there already; ownership passes
    public EarlyBytes(ByteBuf first) {
        this.held = first;
    }

    /// Takes ownership.
    public void add(ByteBufAllocator allocator, ByteBuf bytes) {
        held = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(allocator, held, bytes);
    }

    /// Nothing more comes.
    public void end() {
        ended = true;
    }

    /// Goes first through a tunnel that has just been made.
    ///
    /// @param flow that of `source`
    public void passOn(Channel source, Flow flow, Channel sink) {
        ByteBuf bytes = held;
        held = Unpooled.EMPTY_BUFFER;
        flow.pass(bytes);
        sink.flush();
        if (ended) {
            source.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        }
    }

    public void release() {
        held.release();
        held = Unpooled.EMPTY_BUFFER;
    }
}
