package dev.sallyport.channel;

import io.netty.channel.unix.FileDescriptor;
import java.util.List;

/// What the gateway does with what the warden sends. Called on one event loop, in order.
public interface GatewayListener {
    /// The next message, in the order in which it was sent.
    ///
    /// @param descriptors those that belong to a [Message.Carrying], in its order; empty for every
    ///   other message. They belong to the receiver.
    void received(Message message, List<FileDescriptor> descriptors);

    /// The warden is gone or broke the protocol. The gateway must end at once: without a warden
    /// nothing can be recorded. Called once.
    void ended(String reason);
}
