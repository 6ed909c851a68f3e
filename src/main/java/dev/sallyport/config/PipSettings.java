package dev.sallyport.config;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `~/.config/pip/pip.conf`, `~/.pip/pip.conf` and `/etc/pip.conf`: `index-url` and
/// `extra-index-url`, in any section.
final class PipSettings {
    private static final Pattern SETTING = Pattern.compile("([^\\s=:#;\\[][^=:]*?)\\s*[=:](.*)");

    private PipSettings() {}

    static void read(ToolReading reading) {
        reading.inHome(".config/pip/pip.conf").ifPresent(file -> read(reading, file));
        reading.inHome(".pip/pip.conf").ifPresent(file -> read(reading, file));
        reading.inEtc("pip.conf").ifPresent(file -> read(reading, file));
    }

    private static void read(ToolReading reading, ToolFile file) {
        List<String> lines = file.lines();
        String key = "";
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.strip().startsWith("#") || line.strip().startsWith(";")) {
                continue;
            }
            String values = line;
            boolean continues = !line.isEmpty() && Character.isWhitespace(line.charAt(0));
            if (!continues) {
                Matcher matcher = SETTING.matcher(line);
                boolean setting = matcher.matches();
                key = setting ? normal(matcher.group(1)) : "";
                values = setting ? matcher.group(2) : "";
            }
            for (String value : values.strip().split("\\s+", -1)) {
                take(reading, file, i + 1, key, value);
            }
        }
    }

    private static String normal(String key) {
        return key.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void take(
            ToolReading reading, ToolFile file, int line, String key, String value) {
        if (value.isEmpty()) {
            return;
        }
        // The files of an index lie beside it, not below.
        String address = value.replaceFirst("/\\+?simple/?$", "/");
        switch (key) {
            case "index-url" -> reading.instead(file, line, address);
            case "extra-index-url" -> reading.besides(file, line, address);
            default -> {}
        }
    }
}
