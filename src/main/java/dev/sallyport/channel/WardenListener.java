package dev.sallyport.channel;

import dev.sallyport.audit.AuditEvent;
import java.util.List;

/// What the warden does with what its gateway sends. Called on one event loop, in order; must not
/// block.
public interface WardenListener {
    /// Both sockets are connected to the expected process.
    void connected();

    void received(Message message);

    /// What became of each of these events, in their order.
    List<RecordOutcome> record(List<AuditEvent> batch);

    /// The gateway is gone or broke the protocol. Called at most once, and only after
    /// [#connected()].
    void ended(String reason);
}
