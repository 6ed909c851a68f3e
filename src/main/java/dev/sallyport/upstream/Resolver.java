package dev.sallyport.upstream;

import dev.sallyport.config.SecureResolver;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Turns a host name into addresses that may be dialled. The result is what is dialled: the name is
/// not resolved a second time, so a rebinding answer has nothing to change (CVE-2026-89430).
public final class Resolver {
    private static final int HTTPS_PORT = 443;
    private static final int THREADS_MAX = 8;
    private static final int QUEUE_MAX = 256;

    /// How many addresses of one answer are tried at most.
    private static final int ADDRESSES_MAX = 3;

    /// Where names become addresses; tests put their own answers here.
    interface Lookup {
        InetAddress[] all(String name) throws UnknownHostException;
    }

    private final Lookup lookup;
    private final Executor blocking;

    Resolver(Lookup lookup) {
        this.lookup = lookup;
        this.blocking = boundedPool();
    }

    /// The system's resolver, or the one that a person configured instead.
    ///
    /// @throws IllegalArgumentException for certificates that cannot be read
    public static Resolver of(Optional<SecureResolver> chosen) {
        return new Resolver(
                chosen.isPresent() ? DotLookup.of(chosen.get()) : InetAddress::getAllByName);
    }

    /// The system's resolver blocks, so it gets threads of its own, few enough that a dead name
    /// server costs a bounded amount.
    private static Executor boundedPool() {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        THREADS_MAX,
                        THREADS_MAX,
                        30,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(QUEUE_MAX),
                        Thread.ofPlatform().daemon().name("resolver-", 0).factory());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /// The public addresses of a host, with the port of HTTPS.
    CompletableFuture<List<InetSocketAddress>> resolve(HostName host) {
        return resolve(host, HTTPS_PORT, false);
    }

    /// @param privateAddresses whether addresses of private networks are usable, too
    CompletableFuture<List<InetSocketAddress>> resolve(
            HostName host, int port, boolean privateAddresses) {
        try {
            return CompletableFuture.supplyAsync(
                    () -> usableAddresses(host, port, privateAddresses), blocking);
        } catch (RejectedExecutionException _) {
            return CompletableFuture.failedFuture(new UpstreamException(Refusal.GATEWAY_BUSY));
        }
    }

    private List<InetSocketAddress> usableAddresses(
            HostName host, int port, boolean privateAddresses) {
        List<InetSocketAddress> usable = new ArrayList<>();
        try {
            // A trailing dot would keep search domains out, but the JDK refuses some such names.
            for (InetAddress address : lookup.all(host.value())) {
                if (AddressClass.of(address).isUsable(privateAddresses)
                        && usable.size() < ADDRESSES_MAX) {
                    usable.add(new InetSocketAddress(address, port));
                }
            }
        } catch (UnknownHostException e) {
            throw new CompletionException(new UpstreamException(Refusal.UPSTREAM_UNREACHABLE, e));
        }
        if (usable.isEmpty()) {
            throw new CompletionException(new UpstreamException(Refusal.ADDRESS_NOT_ALLOWED));
        }
        return usable;
    }
}
