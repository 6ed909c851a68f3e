package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import io.netty.channel.EventLoop;
import java.util.Optional;

/// The way out of one connection of a sandbox. What is connected for it serves no other, and ends
/// with it.
public final class Lane implements AutoCloseable {
    private final Client client;
    private final SharedChannels shared;
    private volatile boolean closed;

    Lane(Client client) {
        this.client = client;
        this.shared = new SharedChannels(client);
    }

    /// Begins a call. What comes of it is told to `events`, later and on `loop`.
    public UpstreamCall call(
            WebOrder order, CredentialBook credentials, EventLoop loop, UpstreamEvents events) {
        return client.call(order.asked(), Optional.of(this), credentials, loop, events);
    }

    /// On the event loop of its calls.
    SharedChannels shared() {
        return shared;
    }

    boolean isClosed() {
        return closed;
    }

    /// Ends what is kept. Calls that are under way are ended by whoever made them.
    @Override
    public void close() {
        closed = true;
        client.kept().sweep();
    }
}
