package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// How much of the record is kept; `audit:` of a policy file. What is older or more is removed,
/// whole files at a time.
///
/// @param witness who else keeps how far it went
public record AuditLimits(long keepBytesMax, int keepDaysMax, Optional<WitnessPlace> witness) {
    private static final String BYTES = "keep-bytes-max";
    private static final String DAYS = "keep-days-max";
    private static final String WITNESS = "witness";
    private static final long MIB = 1L << 20;

    /// Without a witness.
    public AuditLimits(long keepBytesMax, int keepDaysMax) {
        this(keepBytesMax, keepDaysMax, Optional.empty());
    }

    public static AuditLimits standard() {
        return new AuditLimits(2_048 * MIB, 400);
    }

    /// @param file the policy file
    static AuditLimits read(Path file, YamlMapping yaml) throws IOException {
        yaml.requireOnly(List.of(BYTES, DAYS, WITNESS));
        return new AuditLimits(
                yaml.number(BYTES, MIB, MIB * MIB).orElse(standard().keepBytesMax),
                yaml.number(DAYS, 1, 36_500).map(Math::toIntExact).orElse(standard().keepDaysMax),
                yaml.mapping(WITNESS, witness -> WitnessPlace.read(file, witness)));
    }
}
