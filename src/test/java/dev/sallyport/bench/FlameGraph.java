package dev.sallyport.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Stacks folded into a tree, the callers below, and drawn: a frame is as wide as its share of all
/// samples. Frames that would be too narrow to see are left out, which bounds the size.
final class FlameGraph {
    private static final int WIDTH = 1200;
    private static final int ROW = 16;
    private static final double NARROWEST = 3;
    private static final double CHARACTER = 6.6;
    private static final int DEEPEST = 90;

    private final Map<String, Node> roots = new TreeMap<>();
    private long all;

    /// One frame and what it called.
    private static final class Node {
        private long samples;
        private final Map<String, Node> callees = new TreeMap<>();
    }

    /// @param frames the outermost first
    void add(List<String> frames) {
        all++;
        Map<String, Node> level = roots;
        for (String frame : frames.subList(0, Math.min(DEEPEST, frames.size()))) {
            Node node = level.computeIfAbsent(frame, _ -> new Node());
            node.samples++;
            level = node.callees;
        }
    }

    long samples() {
        return all;
    }

    /// The share of samples that have a frame with one of these beginnings, for each; a sample
    /// counts for the innermost of them.
    Map<String, Double> shares(Map<String, List<String>> areas) {
        Map<String, Double> shares = new LinkedHashMap<>();
        areas.keySet().forEach(area -> shares.put(area, 0.0));
        roots.forEach((frame, node) -> count(frame, node, "other", areas, shares));
        List<Map.Entry<String, Double>> sorted = new ArrayList<>(shares.entrySet());
        sorted.sort(Map.Entry.comparingByValue(Comparator.reverseOrder()));
        Map<String, Double> result = new LinkedHashMap<>();
        sorted.forEach(entry -> result.put(entry.getKey(), entry.getValue() / Math.max(1, all)));
        return result;
    }

    private static void count(
            String frame,
            Node node,
            String within,
            Map<String, List<String>> areas,
            Map<String, Double> shares) {
        String area =
                areas.entrySet().stream()
                        .filter(e -> e.getValue().stream().anyMatch(frame::startsWith))
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElse(within);
        long self = node.samples;
        for (Map.Entry<String, Node> callee : node.callees.entrySet()) {
            self -= callee.getValue().samples;
            count(callee.getKey(), callee.getValue(), area, areas, shares);
        }
        shares.merge(area, (double) self, Double::sum);
    }

    String svg(String title) {
        StringBuilder frames = new StringBuilder();
        int depth = draw(roots, 0, 1, frames);
        return String.format(
                Locale.ROOT,
                """
                <svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='monospace' font-size='11'>
                <rect width='100%%' height='100%%' fill='white'/>
                <text x='4' y='13' font-size='13'>%s, %d samples</text>
                %s</svg>
                """,
                WIDTH,
                (depth + 1) * ROW,
                escaped(title),
                all,
                frames);
    }

    /// Returns how deep it went.
    private int draw(Map<String, Node> level, double x, int depth, StringBuilder out) {
        int deepest = depth;
        double left = x;
        for (Map.Entry<String, Node> entry : level.entrySet()) {
            double width = (double) entry.getValue().samples * WIDTH / all;
            if (width >= NARROWEST) {
                rectangle(entry.getKey(), entry.getValue().samples, left, width, depth, out);
                deepest = Math.max(deepest, draw(entry.getValue().callees, left, depth + 1, out));
            }
            left += width;
        }
        return deepest;
    }

    private void rectangle(
            String frame, long samples, double x, double width, int depth, StringBuilder out) {
        int y = depth * ROW + 2;
        int shown = (int) ((width - 4) / CHARACTER);
        String name = frame.length() <= shown ? frame : frame.substring(0, Math.max(0, shown));
        out.append(
                String.format(
                        Locale.ROOT,
                        "<g><title>%s %.1f%%</title><rect x='%.1f' y='%d' width='%.1f' height='15' fill='%s'/>",
                        escaped(frame),
                        samples * 100.0 / all,
                        x,
                        y,
                        width - 0.5,
                        colour(frame)));
        if (shown > 2) {
            out.append(
                    String.format(
                            Locale.ROOT,
                            "<text x='%.1f' y='%d'>%s</text>",
                            x + 2,
                            y + 11,
                            escaped(name)));
        }
        out.append("</g>\n");
    }

    private static String colour(String frame) {
        if (frame.startsWith("netty")) {
            return "#f5b041";
        }
        return Character.isLowerCase(frame.charAt(0)) && !frame.startsWith("java")
                ? "#5dade2"
                : "#d5dbdb";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&apos;");
    }
}
