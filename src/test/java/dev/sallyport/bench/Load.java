package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What wrk found out in one round.
///
/// @param p50Micros half of all requests were answered within
/// @param p99Micros 99 of 100 requests were answered within
record Load(double requestsPerSecond, double p50Micros, double p99Micros, double requests) {
    private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
    private static final Pattern ALL = Pattern.compile("([0-9]+) requests in ");

    /// A gateway that has just been started is still being compiled.
    private static final int WARM_UP_ROUNDS_MAX = Run.sized(12, 1);

    private static final double STEADY = 1.05;

    /// What has started the command, as a JVM in front of the sandbox, is busy for a moment longer.
    private static final String AFTER_THE_START = "sleep 1; exec \"$0\" \"$@\"";

    static List<String> argv(int connections, int seconds, String url, String... more) {
        List<String> argv = new ArrayList<>(List.of("sh", "-c", AFTER_THE_START));
        argv.addAll(List.of("wrk", "-t1", "-c" + connections));
        argv.addAll(List.of("-d" + seconds + "s", "--latency"));
        argv.addAll(List.of(more));
        argv.add(url);
        return argv;
    }

    static Load measured(Command wrk) {
        String out = wrk.run().ok();
        if (out.contains("Non-2xx") || out.contains("Socket errors")) {
            throw new AssertionError("not all of them were answered: " + out);
        }
        return new Load(
                Double.parseDouble(found(RATE, out).group(1)),
                micros(50, out),
                micros(99, out),
                Double.parseDouble(found(ALL, out).group(1)));
    }

    /// Until three rounds in a row were not clearly better than the best before.
    static void warmUp(Supplier<Load> round) {
        double best = 0;
        int steady = 0;
        for (int i = 0; i < WARM_UP_ROUNDS_MAX && steady < 3; i++) {
            double rate = round.get().requestsPerSecond();
            steady = rate > best * STEADY ? 0 : steady + 1;
            best = Math.max(best, rate);
        }
    }

    /// In the order of [#figures].
    List<Double> values() {
        return List.of(requestsPerSecond, p50Micros, p99Micros, requests);
    }

    static Contest figures(Contest contest) {
        return contest.figure("rate", "requests/s")
                .figure("p50", "µs")
                .figure("p99", "µs")
                .usage("µs per request");
    }

    private static double micros(int percent, String out) {
        Pattern line = Pattern.compile("\\s" + percent + "%\\s+([0-9.]+)(us|ms|s)\\b");
        Matcher found = found(line, out);
        double unit =
                switch (found.group(2)) {
                    case "us" -> 1;
                    case "ms" -> 1e3;
                    default -> 1e6;
                };
        return Double.parseDouble(found.group(1)) * unit;
    }

    private static Matcher found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new AssertionError(pattern + " is not in\n" + text);
        }
        return matcher;
    }
}
