package dev.sallyport.story;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// What was asked of one host over the last day.
public final class HostTraffic {
    private static final int MINUTE_SECONDS = 60;
    private static final int HOUR_SECONDS = 3_600;

    private final Series minutes = new Series(MINUTE_SECONDS, 60);
    private final Series allowed = new Series(HOUR_SECONDS, 24);
    private final Series denied = new Series(HOUR_SECONDS, 24);
    private final Series bytesUp = new Series(HOUR_SECONDS, 24);
    private final Series bytesDown = new Series(HOUR_SECONDS, 24);

    /// All but the minutes are of the last 24 hours.
    ///
    /// @param minutes decisions in each of the last 60 minutes, oldest first
    /// @param hours likewise in each of the last 24 hours
    public record View(
            String host,
            long allowed,
            long denied,
            long bytesUp,
            long bytesDown,
            List<Long> minutes,
            List<Long> hours) {}

    void decided(long second, boolean deny) {
        minutes.add(second, 1);
        (deny ? denied : allowed).add(second, 1);
    }

    void moved(long second, Map<String, String> facts) {
        bytesUp.add(second, number(facts, "bytes-up"));
        bytesDown.add(second, number(facts, "bytes-down"));
    }

    View view(String host, long now) {
        List<Long> yes = allowed.until(now);
        List<Long> no = denied.until(now);
        return new View(
                host,
                allowed.total(now),
                denied.total(now),
                bytesUp.total(now),
                bytesDown.total(now),
                minutes.until(now),
                IntStream.range(0, yes.size()).mapToObj(i -> yes.get(i) + no.get(i)).toList());
    }

    private static long number(Map<String, String> facts, String key) {
        try {
            return Math.max(0, Long.parseLong(facts.getOrDefault(key, "0")));
        } catch (NumberFormatException _) {
            return 0;
        }
    }

    /// Sums of the last so many spans of time; what is older is forgotten.
    private static final class Series {
        private final long spanSeconds;
        private final long[] sums;
        private long newest = Long.MIN_VALUE / 2;

        Series(long spanSeconds, int spans) {
            this.spanSeconds = spanSeconds;
            this.sums = new long[spans];
        }

        void add(long second, long more) {
            long span = Math.floorDiv(second, spanSeconds);
            forget(span);
            if (span > newest - sums.length) {
                sums[at(span)] += more;
            }
        }

        /// Oldest first; the last is the span of this second.
        List<Long> until(long second) {
            forget(Math.floorDiv(second, spanSeconds));
            List<Long> list = new ArrayList<>();
            for (int i = 1; i <= sums.length; i++) {
                list.add(sums[at(newest + i)]);
            }
            return list;
        }

        long total(long second) {
            return until(second).stream().mapToLong(Long::longValue).sum();
        }

        private void forget(long span) {
            if (span - newest >= sums.length) {
                Arrays.fill(sums, 0);
            } else {
                for (long old = newest + 1; old <= span; old++) {
                    sums[at(old)] = 0;
                }
            }
            newest = Math.max(newest, span);
        }

        private int at(long span) {
            return Math.floorMod(span, sums.length);
        }
    }
}
