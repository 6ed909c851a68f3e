package dev.sallyport.config;

import dev.sallyport.policy.HostName;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Turns what a learning session was let through with into an `egress:` that names those hosts and
/// ports. Methods and paths stand beside them as comments: what was seen of them once is rarely all
/// that is needed, and whether to inspect is a person's decision.
public final class Suggestion {
    private static final int PATHS_SHOWN = 3;

    private final Map<HostName, Seen> hosts = new TreeMap<>();

    /// What was seen of one host.
    private static final class Seen {
        private final SortedSet<Integer> ports = new TreeSet<>();
        private final SortedSet<String> methods = new TreeSet<>();
        private final SortedSet<String> paths = new TreeSet<>();
        private int times;
    }

    /// A connection whose bytes nobody read.
    public void connection(HostName host, int port) {
        Seen seen = seen(host);
        seen.ports.add(port);
        seen.times++;
    }

    /// A request that could be read.
    public void request(HostName host, int port, String method, String path) {
        Seen seen = seen(host);
        seen.ports.add(port);
        seen.methods.add(method.replaceAll("[^A-Z-]", "?"));
        seen.paths.add(path.replaceAll("[^!-~]", "?"));
        seen.times++;
    }

    private Seen seen(HostName host) {
        return hosts.computeIfAbsent(host, _ -> new Seen());
    }

    public boolean isEmpty() {
        return hosts.isEmpty();
    }

    /// A part of a policy file, to be read by a person before it is used.
    public String yaml() {
        StringBuilder text = new StringBuilder("egress:\n");
        hosts.forEach((host, seen) -> append(text, host, seen));
        return text.toString();
    }

    private static void append(StringBuilder text, HostName host, Seen seen) {
        text.append("  - host: ").append(host).append("    # ").append(seen.times);
        text.append(seen.times == 1 ? " time" : " times");
        if (!seen.methods.isEmpty()) {
            text.append("; ").append(String.join(" ", seen.methods)).append(" of ");
            text.append(String.join(" ", seen.paths.stream().limit(PATHS_SHOWN).toList()));
            text.append(seen.paths.size() > PATHS_SHOWN ? " and more" : "");
        }
        text.append("\n    ports: ").append(seen.ports).append('\n');
    }
}
