package dev.sallyport.upstream;

import dev.sallyport.config.SecureResolver;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// Turns a host name into addresses that may be dialled. The result is what is dialled: the name is
/// not resolved a second time, so a rebinding answer has nothing to change (CVE-2026-89430).
///
/// Each has threads of its own, so git and the web have one each: neither keeps the other waiting.
public final class Resolver {

    /// How many addresses of one answer are tried at most.
    private static final int ADDRESSES_MAX = 3;

    /// Where names become addresses; tests put their own answers here.
    interface Lookup {
        InetAddress[] all(String name) throws UnknownHostException;
    }

    private final LookupLines lines;
    private final OwnAddresses own;

    Resolver(Lookup lookup) {
        this(lookup, new OwnAddresses());
    }

    Resolver(Lookup lookup, OwnAddresses own) {
        this.lines = new LookupLines(lookup);
        this.own = own;
    }

    /// The system's resolver, or the one that a person configured instead.
    ///
    /// @throws IllegalArgumentException for certificates that cannot be read
    public static Resolver of(Optional<SecureResolver> chosen) {
        return new Resolver(
                chosen.isPresent() ? DotLookup.of(chosen.get()) : InetAddress::getAllByName);
    }

    /// Fails with an [UpstreamException]; whoever does not want the addresses any more cancels.
    ///
    /// @param session that has to wait for its own lookups only
    /// @param privateAddresses whether addresses of private networks are usable, too
    CompletableFuture<List<InetSocketAddress>> resolve(
            SessionId session, HostName host, int port, boolean privateAddresses) {
        CompletableFuture<List<InetAddress>> asked = lines.ask(session, host);
        CompletableFuture<List<InetSocketAddress>> found =
                asked.thenApply(all -> usable(all, port, privateAddresses));
        var _ = found.whenComplete((_, _) -> asked.cancel(false));
        return found;
    }

    private List<InetSocketAddress> usable(
            List<InetAddress> all, int port, boolean privateAddresses) {
        List<InetSocketAddress> usable =
                all.stream()
                        .filter(address -> AddressClass.of(address).isUsable(privateAddresses))
                        .filter(address -> !own.has(address))
                        .limit(ADDRESSES_MAX)
                        .map(address -> new InetSocketAddress(address, port))
                        .toList();
        if (usable.isEmpty()) {
            throw new CompletionException(new UpstreamException(Refusal.ADDRESS_NOT_ALLOWED));
        }
        return usable;
    }

    /// The addresses of this machine, of whatever class: on its network, on its bridges, and a
    /// public one if it has any. A name of the outside that leads here would reach services that
    /// were never meant for a sandbox (E7, E9, E20). Addresses come and go, so they are read again
    /// every few seconds. Reading them may block for a moment.
    static final class OwnAddresses {
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
}
