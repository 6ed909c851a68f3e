package dev.sallyport.upstream;

import dev.sallyport.config.SecureResolver;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// Turns a host name into addresses that may be dialled. The result is what is dialled: the name is
/// not resolved a second time, so a rebinding answer has nothing to change (CVE-2026-89430).
///
/// Each has threads of its own, so git and the web have one each: neither keeps the other waiting.
public final class Resolver {
    private static final int HTTPS_PORT = 443;

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

    /// The public addresses of a host, with the port of HTTPS.
    CompletableFuture<List<InetSocketAddress>> resolve(SessionId session, HostName host) {
        return resolve(session, host, HTTPS_PORT, false);
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
}
