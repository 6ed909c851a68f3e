package dev.sallyport.egress;

import dev.sallyport.policy.EgressPermit;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/// Ends the TLS of a connection whose requests are judged, and serves them.
public interface Inspector extends AutoCloseable {
    /// Takes over a connection of which only the hello was read, and whose hello names the host of
    /// the permit. The decision is recorded. No other handler is left in its pipeline, and its
    /// auto-read is off. Called on the channel's event loop.
    ///
    /// @param firstBytes what was read so far; ownership passes
    void take(Channel channel, EgressPermit permit, ByteBuf firstBytes);

    /// No connection is taken any more.
    @Override
    default void close() {}
}
