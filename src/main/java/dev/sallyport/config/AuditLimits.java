package dev.sallyport.config;

import java.util.List;
import java.util.Optional;

/// How much of the record is kept; `audit:` of a policy file. What is older or more is removed,
/// whole files at a time.
public record AuditLimits(long keepBytesMax, int keepDaysMax) {
    private static final String BYTES = "keep-bytes-max";
    private static final String DAYS = "keep-days-max";
    private static final long MIB = 1L << 20;

    public static AuditLimits standard() {
        return new AuditLimits(2_048 * MIB, 400);
    }

    static AuditLimits read(Optional<YamlMapping> yaml) throws ConfigException {
        if (yaml.isEmpty()) {
            return standard();
        }
        yaml.get().requireOnly(List.of(BYTES, DAYS));
        return new AuditLimits(
                yaml.get().number(BYTES, MIB, MIB * MIB).orElse(standard().keepBytesMax),
                (int) yaml.get().number(DAYS, 1, 36_500).orElse(standard().keepDaysMax));
    }
}
