package dev.sallyport.session;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Policy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// Where a sandbox finds the listed ports of its hosts besides 80 and 443: on the address of the
/// host itself, so that its own programs can use the same port of 127.0.0.1; for a wildcard, whose
/// names are not known before somebody asks for them, on all addresses.
public final class OutwardPorts {
    /// Each is a socket that the gateway holds.
    static final int COUNT_MAX = 128;

    /// A socket there accepts what is dialled at any address.
    public static final String ALL = "0.0.0.0";

    /// The proxy and the resolver have them on 127.0.0.1.
    private static final Set<Integer> TAKEN = Set.of(53, 3128);

    /// One socket.
    public record Place(String address, int port) {}

    private OutwardPorts() {}

    public static List<Place> of(Policy policy) {
        SortedSet<Integer> wide = new TreeSet<>();
        policy.egress().rules().stream()
                .filter(rule -> rule.host().isWildcard())
                .forEach(rule -> wide.addAll(own(rule)));
        wide.removeAll(TAKEN);
        Set<Place> places = new LinkedHashSet<>();
        wide.forEach(port -> places.add(new Place(ALL, port)));
        NameTable names = new NameTable(1);
        for (EgressRule rule : policy.egress().rules()) {
            if (!rule.host().isWildcard()) {
                int address = names.addressOf(rule.host().name(), policy).orElseThrow();
                own(rule).stream()
                        .filter(port -> !wide.contains(port))
                        .forEach(port -> places.add(new Place(text(address), port)));
            }
        }
        List<Place> all = new ArrayList<>(places);
        return List.copyOf(all.subList(0, Math.min(all.size(), COUNT_MAX)));
    }

    /// Those that no socket of every sandbox serves.
    private static SortedSet<Integer> own(EgressRule rule) {
        SortedSet<Integer> ports = new TreeSet<>(rule.ports());
        ports.removeAll(EgressRule.PORTS);
        return ports;
    }

    private static String text(int address) {
        return (address >>> 24)
                + "."
                + (address >>> 16 & 0xff)
                + "."
                + (address >>> 8 & 0xff)
                + "."
                + (address & 0xff);
    }
}
