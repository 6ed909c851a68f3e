package dev.sallyport.channel;

/// What the warden does with what its gateway sends. Called on one event loop, in order; must not
/// block.
public interface WardenListener {
    /// Both sockets are connected to the expected process.
    void connected();

    void received(Message message);

    /// The gateway is gone or broke the protocol. Called at most once, and only after
    /// [#connected()].
    void ended(String reason);
}
