package dev.sallyport.bench;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// What arrived upstream, compared with what the gateways have recorded.
final class DrillVerdict {
    private static final int SHOWN_MAX = 10;

    private final List<Arrivals.Arrival> arrived;
    private final Map<String, List<Recorded>> recorded = new HashMap<>();

    /// A line that allows a request.
    ///
    /// @param gateway the address of its machine
    record Recorded(String number, String gateway, Instant at) {}

    DrillVerdict(List<Arrivals.Arrival> arrived, List<Recorded> recorded) {
        this.arrived = arrived;
        recorded.forEach(
                line ->
                        this.recorded
                                .computeIfAbsent(line.number(), _ -> new ArrayList<>())
                                .add(line));
    }

    /// Arrivals without a line of the gateway that they came from, written before them.
    List<String> unrecorded() {
        return arrived.stream()
                .filter(one -> !isRecorded(one))
                .map(one -> one.number() + " from " + one.from())
                .toList();
    }

    private boolean isRecorded(Arrivals.Arrival one) {
        return recorded.getOrDefault(one.number(), List.of()).stream()
                .anyMatch(
                        line ->
                                line.gateway().equals(one.from())
                                        && !line.at()
                                                .truncatedTo(ChronoUnit.MILLIS)
                                                .isAfter(one.at()));
    }

    /// Numbers that more than one gateway has allowed or sent.
    List<String> twice() {
        Map<String, Set<String>> gateways = new TreeMap<>();
        arrived.forEach(one -> add(gateways, one.number(), one.from()));
        recorded.forEach(
                (number, lines) -> lines.forEach(line -> add(gateways, number, line.gateway())));
        return gateways.entrySet().stream()
                .filter(entry -> entry.getValue().size() > 1)
                .map(entry -> entry.getKey() + " by " + entry.getValue())
                .toList();
    }

    private static void add(Map<String, Set<String>> gateways, String number, String gateway) {
        gateways.computeIfAbsent(number, _ -> new HashSet<>()).add(gateway);
    }

    /// Numbers that arrived more often than a gateway has allowed them.
    List<String> repeated() {
        Map<String, Integer> counts = new TreeMap<>();
        arrived.forEach(one -> counts.merge(one.number(), 1, Integer::sum));
        return counts.entrySet().stream()
                .filter(
                        entry ->
                                entry.getValue()
                                        > Math.max(
                                                1,
                                                recorded.getOrDefault(entry.getKey(), List.of())
                                                        .size()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /// How many were allowed and never arrived.
    long neverSent() {
        Set<String> there = new HashSet<>();
        arrived.forEach(one -> there.add(one.number()));
        return recorded.keySet().stream().filter(number -> !there.contains(number)).count();
    }

    /// Some of them, and how many there are.
    static String shown(List<String> all) {
        return all.size()
                + ": "
                + String.join(", ", all.subList(0, Math.min(SHOWN_MAX, all.size())));
    }
}
