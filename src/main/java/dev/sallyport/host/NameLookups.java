package dev.sallyport.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Looks up the names of gateways, on threads of its own: a lookup cannot be stopped, and on a
/// virtual thread it would keep one of the few threads that carry all of them. Those who want the
/// same name at the same time wait for one lookup.
final class NameLookups {
    private static final int THREADS_MAX = 4;
    private static final int WAITING_MAX = 64;
    private static final Duration IDLE_MAX = Duration.ofSeconds(10);

    /// Where names become addresses; tests put their own answers here.
    interface Lookup {
        InetAddress[] all(String name) throws UnknownHostException;
    }

    private final Lookup lookup;
    private final Map<String, CompletableFuture<List<InetAddress>>> running =
            new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(
                    THREADS_MAX,
                    THREADS_MAX,
                    IDLE_MAX.toSeconds(),
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(WAITING_MAX),
                    Thread.ofPlatform().daemon().name("gateway-lookup-", 0).factory());

    NameLookups(Lookup lookup) {
        this.lookup = lookup;
        threads.allowCoreThreadTimeOut(true);
    }

    /// All addresses of a name; blocks no longer than this. A lookup that takes longer goes on, and
    /// the system may know its answer the next time.
    List<InetAddress> all(String name, Duration max) throws IOException {
        try {
            CompletableFuture<List<InetAddress>> asked =
                    running.computeIfAbsent(
                            name,
                            wanted -> CompletableFuture.supplyAsync(() -> look(wanted), threads));
            var _ = asked.whenComplete((_, _) -> running.remove(name, asked));
            return asked.get(max.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            throw new IOException("too many names are looked up at once", e);
        } catch (TimeoutException e) {
            throw new IOException("the name server does not answer in time", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while looking up " + name, e);
        }
    }

    private List<InetAddress> look(String name) {
        try {
            return List.of(lookup.all(name));
        } catch (UnknownHostException e) {
            throw new CompletionException(e);
        }
    }
}
