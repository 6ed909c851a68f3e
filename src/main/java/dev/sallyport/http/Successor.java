package dev.sallyport.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/// Goes on with a connection that has left HTTP.
@FunctionalInterface
public interface Successor {
    /// Called once, on the channel's event loop. The decoder and the connection are out of the
    /// pipeline, the head of the answer is on its way, and auto-read is off: whoever wants more
    /// reads it.
    ///
    /// @param unread what the sandbox sent ahead, perhaps nothing; ownership passes. It is as
    ///   untrusted as everything that follows
    void take(Channel channel, ByteBuf unread);
}
