package dev.sallyport.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A bar for each way, its whisker from the least to the most, and a dashed line where the bar that
/// Sallyport has to reach lies.
final class Chart {
    private static final int ROW = 26;
    private static final int LEFT = 150;
    private static final int WIDTH = 720;
    private static final int SCALE = 420;
    private static final int TOP = 34;

    private Chart() {}

    /// Of the figure that the first bar is about, or of the first one.
    static String of(JsonNode contest) {
        JsonNode figures = contest.path("figures");
        String figure =
                contest.path("bars")
                        .path(0)
                        .path("figure")
                        .asText(figures.path(0).path("name").asText());
        List<JsonNode> ways = new ArrayList<>();
        contest.path("ways")
                .forEach(
                        way -> {
                            if (way.has(figure)) ways.add(way);
                        });
        double top = 0;
        for (JsonNode way : ways) {
            top = Math.max(top, way.path(figure).path("most").asDouble());
        }
        StringBuilder rows = new StringBuilder();
        double line = limit(contest, figure);
        top = Math.max(top, line);
        for (int i = 0; i < ways.size(); i++) {
            rows.append(row(ways.get(i), figure, TOP + i * ROW, SCALE / top));
        }
        int bottom = TOP + ways.size() * ROW;
        if (line > 0) {
            double x = LEFT + line * SCALE / top;
            rows.append(
                    String.format(
                            Locale.ROOT,
                            "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='#c0392b' stroke-dasharray='4 3'/>\n",
                            x,
                            x,
                            TOP - 6,
                            bottom));
        }
        return String.format(
                Locale.ROOT,
                "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='13'>\n<rect width='100%%' height='100%%' fill='white'/>\n<text x='8' y='20' font-weight='bold'>%s: %s</text>\n%s</svg>\n",
                WIDTH,
                bottom + 10,
                escaped(contest.path("title").asText()),
                escaped(figure + ", " + unit(figures, figure)),
                rows);
    }

    private static String row(JsonNode way, String figure, int y, double scale) {
        JsonNode spread = way.path(figure);
        String name = way.path("name").asText();
        double value = spread.path("value").asDouble();
        double least = LEFT + spread.path("least").asDouble() * scale;
        double most = LEFT + spread.path("most").asDouble() * scale;
        return String.format(
                Locale.ROOT,
                """
                <text x='%d' y='%d' text-anchor='end'>%s</text>
                <rect x='%d' y='%d' width='%.1f' height='%d' fill='%s'/>
                <line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='black'/>
                <text x='%.1f' y='%d'>%s</text>
                """,
                LEFT - 8,
                y + 15,
                escaped(name),
                LEFT,
                y,
                value * scale,
                ROW - 8,
                name.startsWith(Contest.US) ? "#2471a3" : "#aab7b8",
                least,
                most,
                y + 9,
                y + 9,
                most + 6,
                y + 15,
                Report.number(value));
    }

    /// Where the first bar lies, in the unit of the chart.
    private static double limit(JsonNode contest, String figure) {
        JsonNode bar = contest.path("bars").path(0);
        if (!bar.hasNonNull("beside")) {
            return bar.path("limit").asDouble();
        }
        for (JsonNode way : contest.path("ways")) {
            if (way.path("name").asText().equals(bar.path("beside").asText())) {
                double limit = bar.path("limit").asDouble();
                double value = way.path(figure).path("value").asDouble();
                return bar.path("more").asBoolean() ? value + limit : value * limit;
            }
        }
        return 0;
    }

    private static String unit(JsonNode figures, String name) {
        for (JsonNode figure : figures) {
            if (figure.path("name").asText().equals(name)) {
                return figure.path("unit").asText();
            }
        }
        return "";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
