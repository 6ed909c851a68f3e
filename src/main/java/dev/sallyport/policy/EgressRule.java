package dev.sallyport.policy;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// One line of what a session may reach besides git.
///
/// @param ports where the hosts may be dialled
/// @param inspection absent for a rule whose connections are tunnelled
/// @param tcp whether whatever is said there passes; otherwise it has to be TLS or HTTP
/// @param ask whether each connection, or request that is seen, waits until a person says yes
/// @param origin where the rule was written, for people: `file:line`, or the preset
public record EgressRule(
        HostPattern host,
        SortedSet<Integer> ports,
        Reach reach,
        Optional<Inspection> inspection,
        boolean tcp,
        boolean ask,
        String origin) {
    public static final SortedSet<Integer> PORTS =
            Collections.unmodifiableSortedSet(new TreeSet<>(java.util.Set.of(80, 443)));

    public EgressRule {
        ports = Collections.unmodifiableSortedSet(new TreeSet<>(ports));
        if (tcp && (inspection.isPresent() || host.isWildcard() || ports.size() != 1)) {
            throw new IllegalArgumentException("a plain tunnel leads to one port of one host");
        }
        if (tcp && ask) {
            throw new IllegalArgumentException("nobody is asked about a plain tunnel");
        }
    }

    /// For TLS and HTTP.
    public EgressRule(
            HostPattern host,
            SortedSet<Integer> ports,
            Reach reach,
            Optional<Inspection> inspection,
            String origin) {
        this(host, ports, reach, inspection, false, false, origin);
    }

    /// One port of one host, for any protocol.
    public static EgressRule tcp(HostName host, int port, Reach reach, String origin) {
        return new EgressRule(
                new HostPattern(HostPattern.Breadth.EXACT, host),
                new TreeSet<>(java.util.Set.of(port)),
                reach,
                Optional.empty(),
                true,
                false,
                origin);
    }

    /// The same, but a person says yes to each connection.
    public EgressRule asking(String written) {
        return new EgressRule(host, ports, reach, inspection, tcp, true, written);
    }
}
