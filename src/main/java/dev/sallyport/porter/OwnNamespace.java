package dev.sallyport.porter;

import java.io.IOException;
import java.util.List;

/// Opens sockets in the network namespace of this very process: the sidecar of a pod is in that of
/// its pod (ADR 40). Loopback is up there, and another interface, too. Who may send to that is for
/// the pod's firewall to say; and no connection is carried that was not made to loopback.
public final class OwnNamespace {
    private OwnNamespace() {}

    /// In this order; all of them or none.
    public static List<Listener> open(List<Opening> openings) throws IOException {
        Sockets.prepare();
        return Sockets.listen(openings);
    }
}
