package dev.sallyport.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;

/// `~/.cargo/config.toml`: the `registry` of sources and the `index` of registries, as far as they
/// are sparse. An index that is a git repository goes through the git door.
final class CargoSettings {
    private static final TomlMapper TOML = new TomlMapper();
    private static final String SPARSE = "sparse+";

    private CargoSettings() {}

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

    private static void take(ToolReading reading, ToolFile file, JsonNode value, boolean instead) {
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
