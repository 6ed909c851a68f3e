package dev.sallyport.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/// In which order the hosts of a store are asked. The last one that took writes comes first; one
/// that was dark a moment ago comes last, because each try takes seconds.
final class StoreHosts {
    private static final Duration AVOIDED_FOR = Duration.ofSeconds(10);

    private final List<String> hosts;
    private final LongSupplier nanos;
    private final Map<String, Long> darkSince = new HashMap<>();

    /// @param nanos the time, from any beginning
    StoreHosts(List<String> hosts, LongSupplier nanos) {
        this.hosts = new ArrayList<>(hosts);
        this.nanos = nanos;
    }

    List<String> order() {
        List<String> order = new ArrayList<>(hosts);
        order.removeIf(this::isDark);
        hosts.stream().filter(this::isDark).forEach(order::add);
        return order;
    }

    /// Whether nothing was heard from it a moment ago.
    boolean isDark(String host) {
        Long since = darkSince.get(host);
        return since != null && nanos.getAsLong() - since < AVOIDED_FOR.toNanos();
    }

    void foundDark(String host) {
        darkSince.put(host, nanos.getAsLong());
    }

    void takesWrites(String host) {
        darkSince.remove(host);
        hosts.remove(host);
        hosts.addFirst(host);
    }
}
