package dev.sallyport.config;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `~/.npmrc` and `/etc/npmrc`: `registry`, and `@scope:registry`.
final class NpmSettings {
    /// Other lines, such as those that begin with `//` and hold tokens, are not looked at.
    private static final Pattern REGISTRY =
            Pattern.compile(
                    "\\s*(@[^:=\\s]+:)?registry\\s*=\\s*[\"']?([^\"'\\s]+)[\"']?\\s*(?:[#;].*)?");

    private NpmSettings() {}

    static void read(ToolReading reading) {
        reading.inHome(".npmrc").ifPresent(file -> read(reading, file));
        reading.inEtc("npmrc").ifPresent(file -> read(reading, file));
    }

    private static void read(ToolReading reading, ToolFile file) {
        List<String> lines = file.lines();
        for (int i = 0; i < lines.size(); i++) {
            Matcher matcher = REGISTRY.matcher(lines.get(i));
            if (!matcher.matches()) {
                continue;
            }
            if (matcher.group(1) == null) {
                reading.instead(file, i + 1, matcher.group(2));
            } else {
                reading.besides(file, i + 1, matcher.group(2));
            }
        }
    }
}
