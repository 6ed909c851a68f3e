package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What wrk found out in one round.
///
/// @param p99Millis 99 of 100 requests were answered within
record Load(double requestsPerSecond, double p99Millis) {
    private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
    private static final Pattern P99 = Pattern.compile("99%\\s+([0-9.]+)(us|ms|s)\\b");

    static List<String> argv(int connections, int seconds, String url) {
        return List.of("wrk", "-t1", "-c" + connections, "-d" + seconds + "s", "--latency", url);
    }

    static Load measured(Command wrk) {
        String out = wrk.run().ok();
        if (out.contains("Non-2xx") || out.contains("Socket errors")) {
            throw new AssertionError("not all of them were answered:\n" + out);
        }
        Matcher p99 = found(P99, out);
        double unit =
                switch (p99.group(2)) {
                    case "us" -> 0.001;
                    case "ms" -> 1;
                    default -> 1000;
                };
        return new Load(
                Double.parseDouble(found(RATE, out).group(1)),
                Double.parseDouble(p99.group(1)) * unit);
    }

    private static Matcher found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new AssertionError(pattern + " is not in\n" + text);
        }
        return matcher;
    }
}
