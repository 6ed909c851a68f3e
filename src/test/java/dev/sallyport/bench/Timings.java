package dev.sallyport.bench;

import java.util.ArrayList;
import java.util.List;

/// How long one kind of step took, each time that it was done.
final class Timings {
    private final List<Double> millis = new ArrayList<>();

    /// What is measured.
    interface Step {
        void run() throws Exception;
    }

    void time(Step step) throws Exception {
        long began = System.nanoTime();
        step.run();
        add((System.nanoTime() - began) / 1e6);
    }

    private synchronized void add(double took) {
        millis.add(took);
    }

    synchronized void addAll(Timings other) {
        millis.addAll(other.millis());
    }

    private synchronized List<Double> millis() {
        return List.copyOf(millis);
    }

    /// Forgets what was before the measurement.
    synchronized void clear() {
        millis.clear();
    }

    int count() {
        return millis().size();
    }

    /// @param share 0.5 is the median, 1 the longest
    double percentile(double share) {
        List<Double> sorted = millis().stream().sorted().toList();
        return sorted.isEmpty()
                ? Double.NaN
                : sorted.get((int) Math.min(sorted.size() - 1L, (long) (share * sorted.size())));
    }

    @Override
    public String toString() {
        return "%.1f / %.1f / %.1f ms".formatted(percentile(0.5), percentile(0.99), percentile(1));
    }
}
