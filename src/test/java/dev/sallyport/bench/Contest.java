package dev.sallyport.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// One job, done in several ways that take turns, so that what happens to the machine happens to
/// all of them. Each round begins with another way. A way that fails is out; the others go on.
final class Contest {
    static final String US = "Sallyport";
    static final String DIRECT = "direct";
    static final String CPU = "CPU";
    static final String MEMORY = "memory";

    private final String id;
    private final String title;
    private final int rounds;
    private final Map<String, String> units = new LinkedHashMap<>();
    private final List<Way> ways = new ArrayList<>();
    private final Map<String, String> leftOut = new LinkedHashMap<>();
    private final List<Bar> bars = new ArrayList<>();

    /// Does the job once.
    interface Work {
        /// One value for each figure, in their order. When CPU time is counted for each request,
        /// one more: how many there were.
        List<Double> once() throws Exception;
    }

    /// @param processes whose CPU time and memory count: those of the proxy
    private record Way(
            String name,
            Work work,
            Optional<Supplier<List<Long>>> processes,
            Map<String, List<Double>> samples) {}

    /// What Sallyport has to reach.
    ///
    /// @param beside the way that it is a multiple of, or an absolute value
    /// @param more whether it is what is added to the other way, instead of a multiple
    private record Bar(
            String figure, boolean least, double limit, Optional<String> beside, boolean more) {
        String words(String unit) {
            String sign = least ? "≥ " : "≤ ";
            String number = Double.toString(limit).replaceFirst("\\.0$", "");
            String beyond = more ? " " + unit + " more than " : " × ";
            return sign + number + beside.map(way -> beyond + way).orElse(" " + unit);
        }

        double compare(double ours, double theirs) {
            return more ? ours - theirs : ours / theirs;
        }

        boolean holds(double value) {
            return least ? value >= limit : value <= limit;
        }
    }

    Contest(String id, String title, int rounds) {
        this.id = id;
        this.title = title;
        this.rounds = rounds;
    }

    Contest figure(String name, String unit) {
        units.put(name, unit);
        return this;
    }

    /// CPU time and peak memory of the proxy, where a way has one. Memory has a round of its own:
    /// the kernel looks through all pages for it, which takes time from what is measured.
    Contest usage(String cpuUnit) {
        return figure(CPU, cpuUnit).figure(MEMORY, "MiB");
    }

    Contest way(String name, Work work) {
        ways.add(new Way(name, work, Optional.empty(), new LinkedHashMap<>()));
        return this;
    }

    Contest way(String name, Work work, Supplier<List<Long>> processes) {
        ways.add(new Way(name, work, Optional.of(processes), new LinkedHashMap<>()));
        return this;
    }

    /// A contender that does not do this job.
    Contest without(String name, String why) {
        leftOut.put(name, why);
        return this;
    }

    Contest atMost(String figure, double limit) {
        bars.add(new Bar(figure, false, limit, Optional.empty(), false));
        return this;
    }

    Contest atMost(String figure, double limit, String beside) {
        bars.add(new Bar(figure, false, limit, Optional.of(beside), false));
        return this;
    }

    /// In the unit of the figure.
    Contest atMostMore(String figure, double limit, String beside) {
        bars.add(new Bar(figure, false, limit, Optional.of(beside), true));
        return this;
    }

    Contest atLeast(String figure, double limit, String beside) {
        bars.add(new Bar(figure, true, limit, Optional.of(beside), false));
        return this;
    }

    /// Runs all rounds, after one of each way that does not count.
    ObjectNode measure() {
        for (int round = -1; round < rounds; round++) {
            for (int i = 0; i < ways.size(); i++) {
                attempt(ways.get((i + round + 1) % ways.size()), round);
            }
        }
        if (units.containsKey(MEMORY)) {
            ways.stream()
                    .filter(way -> way.processes.isPresent())
                    .forEach(way -> attempt(way, rounds));
        }
        return result();
    }

    /// @param round that of memory comes after the last
    private void attempt(Way way, int round) {
        if (leftOut.containsKey(way.name)) {
            return;
        }
        try {
            Map<String, Double> values = round < rounds ? once(way) : memory(way);
            if (round >= 0) {
                values.forEach(
                        (figure, value) ->
                                way.samples
                                        .computeIfAbsent(figure, _ -> new ArrayList<>())
                                        .add(value));
            }
            System.err.printf(
                    "%s, round %d of %d, %s: %s%n", id, round + 1, rounds, way.name, values);
        } catch (Exception | AssertionError e) {
            System.err.printf("%s, %s failed: %s%n", id, way.name, e);
            leftOut.put(way.name, "failed: " + firstLine(e));
        }
    }

    private static String firstLine(Throwable e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    private Map<String, Double> once(Way way) throws Exception {
        List<Long> processes = way.processes.map(Supplier::get).orElse(List.of());
        double before = Usage.cpuSeconds(processes);
        List<Double> values = way.work.once();
        double used = Usage.cpuSeconds(processes) - before;
        Map<String, Double> all = new LinkedHashMap<>();
        List<String> own =
                units.keySet().stream().filter(u -> !u.equals(CPU) && !u.equals(MEMORY)).toList();
        for (int i = 0; i < own.size(); i++) {
            all.put(own.get(i), values.get(i));
        }
        if (way.processes.isPresent() && units.containsKey(CPU)) {
            boolean each = values.size() > own.size();
            all.put(CPU, each ? used * 1e6 / values.getLast() : used);
        }
        return all;
    }

    private static Map<String, Double> memory(Way way) throws Exception {
        Usage.Peak peak = new Usage.Peak(way.processes.orElseThrow().get());
        try (peak) {
            way.work.once();
        }
        return Map.of(MEMORY, peak.mebibytes());
    }

    private ObjectNode result() {
        ObjectNode row = new ObjectMapper().createObjectNode();
        row.put("id", id).put("title", title).put("rounds", rounds);
        units.forEach(
                (name, unit) ->
                        row.withArray("figures").addObject().put("name", name).put("unit", unit));
        for (Way way : ways) {
            if (leftOut.containsKey(way.name)) {
                continue;
            }
            ObjectNode node = row.withArray("ways").addObject().put("name", way.name);
            way.samples.forEach((figure, samples) -> node.set(figure, spread(figure, samples)));
        }
        leftOut.forEach(
                (name, why) ->
                        row.withArray("leftOut").addObject().put("name", name).put("why", why));
        bars.forEach(bar -> judge(bar, row.withArray("bars").addObject()));
        return row;
    }

    /// Of memory the highest counts, of everything else the one in the middle.
    private static double decisive(String figure, List<Double> samples) {
        return figure.equals(MEMORY)
                ? samples.stream().max(Double::compare).orElseThrow()
                : median(samples);
    }

    private static ObjectNode spread(String figure, List<Double> samples) {
        ObjectNode spread = new ObjectMapper().createObjectNode();
        List<Double> sorted = samples.stream().sorted().toList();
        spread.put("value", decisive(figure, samples));
        spread.put("least", sorted.getFirst()).put("most", sorted.getLast());
        samples.forEach(spread.withArray("samples")::add);
        return spread;
    }

    /// A multiple or difference is the median of those of each round.
    private void judge(Bar bar, ObjectNode node) {
        node.put("figure", bar.figure).put("bar", bar.words(units.getOrDefault(bar.figure, "")));
        List<Double> ours = samples(US, bar.figure);
        Optional<List<Double>> theirs = bar.beside.map(way -> samples(way, bar.figure));
        if (ours.isEmpty() || (theirs.isPresent() && theirs.get().isEmpty())) {
            node.put("failed", true);
            return;
        }
        double value =
                theirs.map(t -> median(compared(bar, ours, t)))
                        .orElseGet(() -> decisive(bar.figure, ours));
        node.put("value", value).put("held", bar.holds(value));
        node.put("limit", bar.limit).put("beside", bar.beside.orElse(null)).put("more", bar.more);
    }

    private List<Double> samples(String name, String figure) {
        return ways.stream()
                .filter(way -> way.name.equals(name) && !leftOut.containsKey(name))
                .map(way -> way.samples.getOrDefault(figure, List.of()))
                .findFirst()
                .orElse(List.of());
    }

    private static List<Double> compared(Bar bar, List<Double> ours, List<Double> theirs) {
        List<Double> compared = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            compared.add(bar.compare(ours.get(i), theirs.get(i)));
        }
        return compared;
    }

    static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(v -> v).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1
                ? sorted[middle]
                : Arrays.stream(sorted, middle - 1, middle + 1).average().orElseThrow();
    }
}
