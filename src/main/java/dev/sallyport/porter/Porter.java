package dev.sallyport.porter;

import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.util.List;

/// Opens sockets inside the network namespace of a process.
public interface Porter {
    /// Brings loopback up and opens these sockets, in this order.
    ///
    /// @param expectedInode inode of the namespace that was verified; another one is refused, so
    ///   that a reused pid cannot redirect us
    List<Listener> open(long pid, long expectedInode, List<Opening> openings) throws IOException;

    /// The porter that this process is able to use.
    static Porter forThisProcess() throws IOException {
        return Ownership.ownUid() == 0 ? new NamespacePorter() : NsenterPorter.ofThisJvm();
    }

    /// Opens sockets in the network namespace of this very process, in this order; all of them or
    /// none. The sidecar of a pod is in that of its pod (ADR 40). Loopback is up there, and another
    /// interface, too. Who may send to that is for the pod's firewall to say; and no connection is
    /// carried that was not made to loopback.
    static List<Listener> openHere(List<Opening> openings) throws IOException {
        Sockets.prepare();
        return Sockets.listen(openings);
    }
}
