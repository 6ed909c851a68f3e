package dev.sallyport.config;

import java.io.IOException;
import java.io.StringReader;
import java.util.Properties;

/// `~/.gradle/gradle.properties`: the address of the plugin portal, which is the only one that is
/// plain data. Init scripts are programs, and are not read.
final class GradleSettings {
    private static final String PORTAL = "org.gradle.internal.plugins.portal.url.override";

    private GradleSettings() {}

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
