package dev.sallyport.porter;

import java.io.IOException;
import java.util.List;

/// Opens sockets inside the network namespace of a process.
public interface Porter {
    /// Brings loopback up and opens these sockets, in this order.
    ///
    /// @param expectedInode inode of the namespace that was verified; another one is refused, so
    ///   that a reused pid cannot redirect us
    List<Listener> open(long pid, long expectedInode, List<Opening> openings) throws IOException;
}
