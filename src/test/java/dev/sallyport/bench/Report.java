package dev.sallyport.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/// Writes what a run measured into the document, and its charts beside it, so that no figure there
/// is typed by hand.
final class Report {
    private static final String BEGIN = "<!-- bench/run report: begin -->\n";
    private static final String END = "<!-- bench/run report: end -->";
    private static final Path DOCUMENT = Path.of("docs/benchmarks.md");
    private static final Path CHARTS = Path.of("docs/charts");

    private final JsonNode run;

    Report(JsonNode run) {
        this.run = run;
    }

    /// Its argument is the file of a run.
    public static void main(String[] args) throws IOException {
        Report report = new Report(new ObjectMapper().readTree(Path.of(args[0]).toFile()));
        report.drawCharts();
        String text = Files.readString(DOCUMENT);
        int begin = text.indexOf(BEGIN) + BEGIN.length();
        int end = text.indexOf(END);
        Files.writeString(DOCUMENT, text.substring(0, begin) + report.all() + text.substring(end));
    }

    private String all() {
        StringBuilder text = new StringBuilder(origin(run)).append(summary());
        for (JsonNode contest : contests()) {
            String title = contest.path("title").asText();
            String id = contest.path("id").asText();
            text.append("\n### %s\n\n".formatted(title)).append(table(contest));
            text.append("![%s](charts/%s.svg)\n".formatted(title, id));
        }
        return text.toString();
    }

    private void drawCharts() throws IOException {
        Files.createDirectories(CHARTS);
        for (JsonNode contest : contests()) {
            if (!contest.path("ways").isEmpty()) {
                Path file = CHARTS.resolve(contest.path("id").asText() + ".svg");
                Files.writeString(file, Chart.of(contest));
            }
        }
    }

    private List<JsonNode> contests() {
        List<JsonNode> all = new ArrayList<>();
        run.path("benches").forEach(bench -> bench.path("contests").forEach(all::add));
        return all;
    }

    /// When and where a run was made, and whether the machine was quiet.
    static String origin(JsonNode run) {
        StringJoiner versions = new StringJoiner(", ");
        run.path("versions")
                .properties()
                .forEach(e -> versions.add(e.getKey() + " " + e.getValue().asText()));
        return """
               %sMeasured at %s, commit %s: %d cores (%s), Linux %s, Java %s, %s. Load before the run: %.2f.
               %s
               """
                .formatted(
                        run.path("quick").asBoolean()
                                ? "**A quick run to try the benchmarks: its figures mean nothing.** "
                                : "",
                        run.path("begun").asText(),
                        run.path("commit").asText(),
                        run.path("cores").asInt(),
                        run.path("processor").asText(),
                        run.path("kernel").asText(),
                        run.path("java").asText(),
                        versions,
                        run.path("load").asDouble(),
                        quietness(run));
    }

    private static String quietness(JsonNode run) {
        StringJoiner noisy = new StringJoiner(", ");
        if (run.path("load").asDouble() > Run.QUIET_LOAD) {
            noisy.add("the load before the run");
        }
        run.path("benches")
                .properties()
                .forEach(
                        bench -> {
                            double busy = bench.getValue().path("busyBefore").asDouble();
                            double stolen = bench.getValue().path("stolen").asDouble();
                            if (busy > Run.QUIET_BUSY || stolen > Run.QUIET_STOLEN) {
                                noisy.add(
                                        "%s (%.0f %% busy before it, %.1f %% stolen during it)"
                                                .formatted(
                                                        bench.getKey(), busy * 100, stolen * 100));
                            }
                        });
        return noisy.length() == 0
                ? "The machine was quiet: before each benchmark its processors were idle, and no time was stolen by its host."
                : "**The machine was not quiet**, so read the ratios only: " + noisy + ".";
    }

    /// Every bar in one table.
    private String summary() {
        StringBuilder text =
                new StringBuilder(
                        "\n| | direct | nginx | Sallyport | bar | measured | |\n|---|---|---|---|---|---|---|\n");
        for (JsonNode contest : contests()) {
            for (JsonNode bar : contest.path("bars")) {
                String figure = bar.path("figure").asText();
                text.append(
                        "| %s, %s | %s | %s | %s | %s | %s | %s |\n"
                                .formatted(
                                        contest.path("title").asText(),
                                        figure,
                                        cell(contest, Contest.DIRECT, figure),
                                        cell(contest, "nginx", figure),
                                        cell(contest, Contest.US, figure),
                                        bar.path("bar").asText(),
                                        measured(bar),
                                        verdict(bar)));
            }
        }
        run.path("benches")
                .properties()
                .forEach(
                        bench -> {
                            if (bench.getValue().has("failed")) {
                                text.append(
                                        "| %s | | | | | | **failed**: %s |\n"
                                                .formatted(
                                                        bench.getKey(),
                                                        bench.getValue().path("failed").asText()));
                            }
                        });
        return text.toString();
    }

    private static String measured(JsonNode bar) {
        if (bar.has("failed")) {
            return "–";
        }
        double value = bar.path("value").asDouble();
        boolean multiple = bar.hasNonNull("beside") && !bar.path("more").asBoolean();
        return multiple ? "%.2f ×".formatted(value) : number(value);
    }

    private static String verdict(JsonNode bar) {
        if (bar.has("failed")) {
            return "**not measured**";
        }
        return bar.path("held").asBoolean() ? "held" : "**missed**";
    }

    private static String cell(JsonNode contest, String way, String figure) {
        for (JsonNode candidate : contest.path("ways")) {
            if (candidate.path("name").asText().equals(way) && candidate.has(figure)) {
                return number(candidate.path(figure).path("value").asDouble())
                        + " "
                        + unit(contest, figure);
            }
        }
        return "–";
    }

    private static String unit(JsonNode contest, String figure) {
        for (JsonNode candidate : contest.path("figures")) {
            if (candidate.path("name").asText().equals(figure)) {
                return candidate.path("unit").asText();
            }
        }
        return "";
    }

    /// One table for each job, with the least and the most of all rounds.
    String tables(JsonNode bench) {
        StringBuilder text = new StringBuilder();
        if (bench.has("failed")) {
            text.append("**Failed**: ").append(bench.path("failed").asText()).append("\n\n");
        }
        bench.path("contests")
                .forEach(
                        contest ->
                                text.append(contest.path("title").asText())
                                        .append(":\n")
                                        .append(table(contest)));
        return text.toString();
    }

    private static String table(JsonNode contest) {
        StringBuilder text = new StringBuilder("|");
        StringBuilder rule = new StringBuilder("|---|");
        for (JsonNode figure : contest.path("figures")) {
            text.append(
                    " | %s, %s"
                            .formatted(figure.path("name").asText(), figure.path("unit").asText()));
            rule.append("---|");
        }
        text.append(" |\n").append(rule).append('\n');
        for (JsonNode way : contest.path("ways")) {
            text.append("| ").append(way.path("name").asText());
            for (JsonNode figure : contest.path("figures")) {
                text.append(" | ").append(spread(way.path(figure.path("name").asText())));
            }
            text.append(" |\n");
        }
        contest.path("leftOut")
                .forEach(
                        out ->
                                text.append(
                                        "\nWithout %s: %s.\n"
                                                .formatted(
                                                        out.path("name").asText(),
                                                        out.path("why").asText())));
        return text.append('\n').toString();
    }

    private static String spread(JsonNode spread) {
        if (spread.isMissingNode()) {
            return "–";
        }
        return "%s (%s to %s)"
                .formatted(
                        number(spread.path("value").asDouble()),
                        number(spread.path("least").asDouble()),
                        number(spread.path("most").asDouble()));
    }

    /// Three digits that count.
    static String number(double value) {
        int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
