package dev.sallyport.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

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

    ToolHosts read(Machine machine) {
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
}
