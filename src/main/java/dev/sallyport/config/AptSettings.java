package dev.sallyport.config;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// `/etc/apt/sources.list` and the files of `sources.list.d`, of one line per source (`.list`) or
/// one paragraph (`.sources`).
final class AptSettings {
    private static final String DIRECTORY = "apt/sources.list.d";
    private static final Pattern OPTIONS = Pattern.compile("\\[[^\\]]*\\]");
    private static final Pattern LOCAL = Pattern.compile("(cdrom|file|copy):.*");

    private AptSettings() {}

    static void read(ToolReading reading) {
        reading.inEtc("apt/sources.list").ifPresent(file -> lines(reading, file));
        reading.allInEtc(DIRECTORY, ".list").forEach(file -> lines(reading, file));
        reading.allInEtc(DIRECTORY, ".sources").forEach(file -> paragraphs(reading, file));
    }

    /// `deb [options] address suite component…`
    private static void lines(ToolReading reading, ToolFile file) {
        List<String> lines = file.lines();
        for (int i = 0; i < lines.size(); i++) {
            String line = OPTIONS.matcher(lines.get(i).split("#", 2)[0]).replaceAll(" ");
            String[] words = line.strip().split("\\s+", -1);
            if (words.length > 1 && (words[0].equals("deb") || words[0].equals("deb-src"))) {
                take(reading, file, i + 1, words[1]);
            }
        }
    }

    private static void paragraphs(ToolReading reading, ToolFile file) {
        List<String> lines = file.lines();
        int start = 0;
        for (int i = 0; i <= lines.size(); i++) {
            if (i == lines.size() || lines.get(i).isBlank()) {
                paragraph(reading, file, start, lines.subList(start, i));
                start = i + 1;
            }
        }
    }

    private static void paragraph(
            ToolReading reading, ToolFile file, int start, List<String> lines) {
        if (lines.stream().anyMatch(AptSettings::disables)) {
            return;
        }
        boolean addresses = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("#")) {
                continue;
            }
            String values = line;
            if (!Character.isWhitespace(line.charAt(0))) {
                addresses = line.toLowerCase(Locale.ROOT).startsWith("uris:");
                values = line.substring(line.indexOf(':') + 1);
            }
            if (addresses) {
                for (String value : values.strip().split("\\s+", -1)) {
                    take(reading, file, start + i + 1, value);
                }
            }
        }
    }

    private static boolean disables(String line) {
        return line.toLowerCase(Locale.ROOT).matches("enabled:\\s*(no|false|without|off|disable)");
    }

    private static void take(ToolReading reading, ToolFile file, int line, String address) {
        if (!address.isEmpty() && !LOCAL.matcher(address).matches()) {
            reading.instead(file, line, address);
        }
    }
}
