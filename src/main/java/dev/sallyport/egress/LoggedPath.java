package dev.sallyport.egress;

import java.util.Arrays;
import java.util.stream.Collectors;

/// A path as it is written down: without its query, and without long segments that look random,
/// because hosts put credentials into paths, too (E19).
final class LoggedPath {
    private static final int LENGTH_MAX = 200;
    private static final int SEGMENT_CHARACTERS_MIN = 20;

    /// Bits per character; English words have less, random hex has up to 4, Base64 up to 6.
    private static final double ENTROPY_MIN = 3.2;

    private LoggedPath() {}

    /// @param path printable ASCII
    static String of(String path) {
        String clean =
                Arrays.stream(path.split("/", -1))
                        .map(segment -> isRandom(segment) ? "[redacted]" : segment)
                        .collect(Collectors.joining("/"));
        return clean.length() <= LENGTH_MAX ? clean : clean.substring(0, LENGTH_MAX - 1) + "…";
    }

    private static boolean isRandom(String segment) {
        return segment.length() >= SEGMENT_CHARACTERS_MIN
                && segment.chars().anyMatch(c -> c >= '0' && c <= '9')
                && entropy(segment) >= ENTROPY_MIN;
    }

    private static double entropy(String text) {
        int[] counts = new int[128];
        text.chars().forEach(c -> counts[c & 0x7f]++);
        double bits = 0;
        for (int count : counts) {
            if (count > 0) {
                double share = (double) count / text.length();
                bits -= share * Math.log(share) / Math.log(2);
            }
        }
        return bits;
    }
}
