package dev.sallyport.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A program whose configuration on this machine says where a person gets packages from. Of its
/// files, hosts, ports and paths are read and nothing else. Its environment variables are not: what
/// the daemon inherits must not redirect it (I8).
public enum Tool {
    NPM,
    PIP,
    MAVEN,
    GRADLE,
    CARGO,
    GO,
    GEM,
    APT;

    static Optional<Tool> of(String label) {
        return Arrays.stream(values()).filter(tool -> tool.label().equals(label)).findFirst();
    }

    /// As it is written in a preset.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    ToolReading.ToolHosts read(Machine machine) {
        ToolReading reading = new ToolReading(machine);
        switch (this) {
            case NPM -> NpmSettings.read(reading);
            case PIP -> PipSettings.read(reading);
            case MAVEN -> MavenSettings.read(reading);
            case GRADLE -> GradleSettings.read(reading);
            case CARGO -> CargoSettings.read(reading);
            case GO -> GoSettings.read(reading);
            case GEM -> GemSettings.read(reading);
            case APT -> AptSettings.read(reading);
        }
        return reading.hosts();
    }

    /// `~/.cargo/config.toml`: the `registry` of sources and the `index` of registries, as far as
    /// they are sparse. An index that is a git repository goes through the git door.
    private static final class CargoSettings {
        private static final TomlMapper TOML = new TomlMapper();
        private static final String SPARSE = "sparse+";

        static void read(ToolReading reading) {
            reading.inHome(".cargo/config.toml").ifPresent(file -> read(reading, file));
        }

        private static void read(ToolReading reading, ToolFile file) {
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
            if (instead) {
                reading.instead(file, line, root);
            } else {
                reading.besides(file, line, root);
            }
        }
    }

    /// `~/.gemrc`: the list of `:sources:`.
    private static final class GemSettings {
        private static final String SOURCES = ":sources";

        static void read(ToolReading reading) {
            reading.inHome(".gemrc").ifPresent(file -> read(reading, file));
        }

        private static void read(ToolReading reading, ToolFile file) {
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

        static void read(ToolReading reading) {
            reading.inHome(".gradle/gradle.properties").ifPresent(file -> read(reading, file));
        }

        private static void read(ToolReading reading, ToolFile file) {
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

    /// `~/.config/pip/pip.conf`, `~/.pip/pip.conf` and `/etc/pip.conf`: `index-url` and
    /// `extra-index-url`, in any section.
    private static final class PipSettings {
        private static final Pattern SETTING =
                Pattern.compile("([^\\s=:#;\\[][^=:]*?)\\s*[=:](.*)");

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
}
