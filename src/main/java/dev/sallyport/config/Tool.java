package dev.sallyport.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import dev.sallyport.policy.Word;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A program whose configuration on this machine says where a person gets packages from. Of its
/// files, hosts, ports and paths are read and nothing else. Its environment variables are not: what
/// the daemon inherits must not redirect it (I8).
public enum Tool implements Word {
    NPM,
    PIP,
    MAVEN,
    GRADLE,
    CARGO,
    GO,
    GEM,
    APT;

    ToolReading.ToolHosts read(Machine machine) {
        ToolReading reading = new ToolReading(machine);
        switch (this) {
            case NPM -> {
                reading.inHome(".npmrc", NpmSettings::read);
                reading.inEtc("npmrc", NpmSettings::read);
            }
            case PIP -> {
                reading.inHome(".config/pip/pip.conf", PipSettings::read);
                reading.inHome(".pip/pip.conf", PipSettings::read);
                reading.inEtc("pip.conf", PipSettings::read);
            }
            case MAVEN -> reading.inHome(".m2/settings.xml", MavenSettings::read);
            case GRADLE -> reading.inHome(".gradle/gradle.properties", GradleSettings::read);
            case CARGO -> reading.inHome(".cargo/config.toml", CargoSettings::read);
            case GO -> reading.inHome(".config/go/env", GoSettings::read);
            case GEM -> reading.inHome(".gemrc", GemSettings::read);
            case APT -> {
                reading.inEtc("apt/sources.list", AptSettings::lines);
                reading.allInEtc(AptSettings.DIRECTORY, ".list", AptSettings::lines);
                reading.allInEtc(AptSettings.DIRECTORY, ".sources", AptSettings::paragraphs);
            }
        }
        return reading.hosts();
    }

    /// `~/.cargo/config.toml`: the `registry` of sources and the `index` of registries, as far as
    /// they are sparse. An index that is a git repository goes through the git door.
    private static final class CargoSettings {
        private static final TomlMapper TOML = new TomlMapper();
        private static final String SPARSE = "sparse+";

        static void read(ToolReading reading, ToolFile file) {
            JsonNode config;
            try {
                config = TOML.readTree(file.text());
            } catch (JsonProcessingException e) {
                reading.malformed(file);
                return;
            }
            String replacement = config.at("/source/crates-io/replace-with").asText();
            for (var source : config.path("source").properties()) {
                boolean instead = source.getKey().equals(replacement);
                take(reading, file, source.getValue().path("registry"), instead);
            }
            for (var registry : config.path("registries").properties()) {
                boolean instead = registry.getKey().equals(replacement);
                take(reading, file, registry.getValue().path("index"), instead);
            }
        }

        private static void take(
                ToolReading reading, ToolFile file, JsonNode value, boolean instead) {
            if (!value.isTextual()) {
                return;
            }
            String address = value.asText();
            int line = file.lineOf(address);
            if (!address.startsWith(SPARSE)) {
                reading.leftOut(file, line, "it is a git repository; grant it with --repo");
                return;
            }
            // The crates of a registry lie beside its index, not below.
            String root = address.substring(SPARSE.length()).replaceFirst("/index/?$", "/");
            reading.take(file, line, root, instead);
        }
    }

    /// `~/.gemrc`: the list of `:sources:`.
    private static final class GemSettings {
        private static final String SOURCES = ":sources";

        static void read(ToolReading reading, ToolFile file) {
            try {
                byte[] content = file.text().getBytes(StandardCharsets.UTF_8);
                Optional<YamlMapping> yaml = StrictYaml.parse(file.path(), content);
                if (yaml.isEmpty()) {
                    return;
                }
                List<String> sources =
                        yaml.get().list(SOURCES, text -> text, "https://…").orElse(List.of());
                for (String source : sources) {
                    reading.instead(file, file.lineOf(source), source);
                }
            } catch (ConfigException e) {
                reading.malformed(file);
            }
        }
    }

    /// `~/.gradle/gradle.properties`: the address of the plugin portal, which is the only one that
    /// is plain data. Init scripts are programs, and are not read.
    private static final class GradleSettings {
        private static final String PORTAL = "org.gradle.internal.plugins.portal.url.override";

        static void read(ToolReading reading, ToolFile file) {
            Properties properties = new Properties();
            try {
                properties.load(new StringReader(file.text()));
            } catch (IOException | IllegalArgumentException e) {
                reading.malformed(file);
                return;
            }
            String portal = properties.getProperty("systemProp." + PORTAL);
            if (portal != null) {
                reading.besides(file, file.lineOf(PORTAL), portal.strip());
            }
        }
    }

    /// `~/.npmrc` and `/etc/npmrc`: `registry`, and `@scope:registry`.
    private static final class NpmSettings {
        /// Other lines, such as those that begin with `//` and hold tokens, are not looked at.
        private static final Pattern REGISTRY =
                Pattern.compile(
                        "\\s*(@[^:=\\s]+:)?registry\\s*=\\s*[\"']?([^\"'\\s]+)[\"']?\\s*(?:[#;].*)?");

        static void read(ToolReading reading, ToolFile file) {
            List<String> lines = file.lines();
            for (int i = 0; i < lines.size(); i++) {
                Matcher matcher = REGISTRY.matcher(lines.get(i));
                if (!matcher.matches()) {
                    continue;
                }
                reading.take(file, i + 1, matcher.group(2), matcher.group(1) == null);
            }
        }
    }

    /// `~/.config/pip/pip.conf`, `~/.pip/pip.conf` and `/etc/pip.conf`: `index-url` and
    /// `extra-index-url`, in any section.
    private static final class PipSettings {
        private static final Pattern SETTING =
                Pattern.compile("([^\\s=:#;\\[][^=:]*?)\\s*[=:](.*)");

        static void read(ToolReading reading, ToolFile file) {
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

    /// `~/.config/go/env`: `GOPROXY` and `GOSUMDB`. The public hosts are replaced only when neither
    /// modules nor their checksums come from them.
    static final class GoSettings {
        private static final Pattern SETTING =
                Pattern.compile("\\s*(GOPROXY|GOSUMDB)=[\"']?([^\"']*)[\"']?\\s*");
        private static final Pattern PUBLIC_CHECKSUMS = Pattern.compile("sum\\.golang\\.[a-z.]+");

        static void read(ToolReading reading, ToolFile file) {
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
        private static boolean checksums(
                ToolReading reading, ToolFile file, int line, String value) {
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
                reading.take(file, line, address, instead);
            }
        }
    }

    /// `/etc/apt/sources.list` and the files of `sources.list.d`, of one line per source (`.list`)
    /// or one paragraph (`.sources`).
    static final class AptSettings {
        private static final String DIRECTORY = "apt/sources.list.d";
        private static final Pattern OPTIONS = Pattern.compile("\\[[^\\]]*\\]");
        private static final Pattern LOCAL = Pattern.compile("(cdrom|file|copy):.*");

        /// `deb [options] address suite component…`
        static void lines(ToolReading reading, ToolFile file) {
            List<String> lines = file.lines();
            for (int i = 0; i < lines.size(); i++) {
                String line = OPTIONS.matcher(lines.get(i).split("#", 2)[0]).replaceAll(" ");
                String[] words = line.strip().split("\\s+", -1);
                if (words.length > 1 && (words[0].equals("deb") || words[0].equals("deb-src"))) {
                    take(reading, file, i + 1, words[1]);
                }
            }
        }

        static void paragraphs(ToolReading reading, ToolFile file) {
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
            return line.toLowerCase(Locale.ROOT)
                    .matches("enabled:\\s*(no|false|without|off|disable)");
        }

        private static void take(ToolReading reading, ToolFile file, int line, String address) {
            if (!address.isEmpty() && !LOCAL.matcher(address).matches()) {
                reading.instead(file, line, address);
            }
        }
    }
}
