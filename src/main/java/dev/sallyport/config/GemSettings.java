package dev.sallyport.config;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// `~/.gemrc`: the list of `:sources:`.
final class GemSettings {
    private static final String SOURCES = ":sources";

    private GemSettings() {}

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
