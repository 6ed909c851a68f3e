package dev.sallyport.upstream;

import dev.sallyport.policy.Refusal;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// The addresses of this machine, of whatever class: on its network, on its bridges, and a public
/// one if it has any. A name of the outside that leads here would reach services that were never
/// meant for a sandbox (E7, E9, E20). Addresses come and go, so they are read again every few
/// seconds. Reading them may block for a moment.
final class OwnAddresses {
    private static final long KEPT_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);

    /// Where the machine's addresses are read; tests put their own here.
    interface Source {
        Set<InetAddress> all() throws SocketException;
    }

    private record Seen(Set<InetAddress> addresses, long nanos) {}

    private final Source source;
    private Seen seen;

    OwnAddresses() {
        this(OwnAddresses::ofInterfaces);
    }

    OwnAddresses(Source source) {
        this.source = source;
        this.seen = new Seen(Set.of(), System.nanoTime() - KEPT_NANOS_MAX);
    }

    private static Set<InetAddress> ofInterfaces() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .collect(Collectors.toUnmodifiableSet());
    }

    /// @throws CompletionException when they cannot be read, because then any could be one
    synchronized boolean has(InetAddress address) {
        long now = System.nanoTime();
        if (now - seen.nanos() >= KEPT_NANOS_MAX) {
            try {
                seen = new Seen(source.all(), now);
            } catch (SocketException e) {
                throw new CompletionException(new UpstreamException(Refusal.INTERNAL, e));
            }
        }
        return seen.addresses().contains(address);
    }
}
