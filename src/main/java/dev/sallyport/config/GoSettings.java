package dev.sallyport.config;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `~/.config/go/env`: `GOPROXY` and `GOSUMDB`. The public hosts are replaced only when neither
/// modules nor their checksums come from them.
final class GoSettings {
    private static final Pattern SETTING =
            Pattern.compile("\\s*(GOPROXY|GOSUMDB)=[\"']?([^\"']*)[\"']?\\s*");
    private static final Pattern PUBLIC_CHECKSUMS = Pattern.compile("sum\\.golang\\.[a-z.]+");

    private GoSettings() {}

    static void read(ToolReading reading) {
        reading.inHome(".config/go/env").ifPresent(file -> read(reading, file));
    }

    private static void read(ToolReading reading, ToolFile file) {
        List<String> lines = file.lines();
        boolean ownChecksums = false;
        for (int i = 0; i < lines.size(); i++) {
            Matcher matcher = SETTING.matcher(lines.get(i));
            if (matcher.matches() && matcher.group(1).equals("GOSUMDB")) {
                ownChecksums = checksums(reading, file, i + 1, matcher.group(2).strip());
            }
        }
        for (int i = 0; i < lines.size(); i++) {
            Matcher matcher = SETTING.matcher(lines.get(i));
            if (matcher.matches() && matcher.group(1).equals("GOPROXY")) {
                proxies(reading, file, i + 1, matcher.group(2), ownChecksums);
            }
        }
    }

    /// `off`, or `name[+key] [address]`.
    ///
    /// @return whether the public database is not asked
    private static boolean checksums(ToolReading reading, ToolFile file, int line, String value) {
        String[] words = value.split("\\s+", 2);
        String name = words[0].split("\\+", 2)[0];
        if (words.length == 2) {
            reading.besides(file, line, words[1]);
            return true;
        }
        if (name.isEmpty() || PUBLIC_CHECKSUMS.matcher(name).matches()) {
            return false;
        }
        if (!name.equals("off")) {
            reading.besides(file, line, "https://" + name);
        }
        return true;
    }

    private static void proxies(
            ToolReading reading, ToolFile file, int line, String value, boolean instead) {
        for (String proxy : value.split("[,|]", -1)) {
            String address = proxy.strip();
            if (address.isEmpty() || address.equals("direct") || address.equals("off")) {
                continue;
            }
            if (instead) {
                reading.instead(file, line, address);
            } else {
                reading.besides(file, line, address);
            }
        }
    }
}
