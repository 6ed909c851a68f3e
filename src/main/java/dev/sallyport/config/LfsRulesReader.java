package dev.sallyport.config;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.LfsRules;
import java.util.List;
import java.util.Optional;

/// Makes [LfsRules] from the `lfs:` of one repository. What is not written there is standard.
final class LfsRulesReader {
    static final List<String> KEYS =
            List.of("access", "object-bytes-max", "upload-bytes-max", "storage");

    static final LimitRange BYTES_MAX = new LimitRange(1, 1L << 44);

    private LfsRulesReader() {}

    static LfsRules read(YamlMapping entry, Access access) throws ConfigException {
        LfsRules standard = LfsRules.standard(access);
        Optional<YamlMapping> given = entry.mapping("lfs");
        if (given.isEmpty()) {
            return standard;
        }
        YamlMapping lfs = given.get();
        lfs.requireOnly(KEYS);
        return new LfsRules(
                level(lfs, standard.access()),
                number(lfs, "object-bytes-max", standard.objectBytesMax()),
                number(lfs, "upload-bytes-max", standard.uploadBytesMax()),
                lfs.list("storage", HostPattern::parse, "lfs.example.com")
                        .orElse(standard.storage()));
    }

    private static ApiLevel level(YamlMapping lfs, ApiLevel most) throws ConfigException {
        Optional<String> word = lfs.text("access");
        if (word.isEmpty()) {
            return most;
        }
        Optional<ApiLevel> level = ApiLevel.of(word.get());
        if (level.isEmpty()) {
            throw lfs.problem("access", "is not a valid level.", "Write off, read or write.");
        }
        if (level.get().compareTo(most) > 0) {
            throw lfs.problem(
                    "access",
                    "is write, but the repository's access is read.",
                    "Write read or off, or set access: write.");
        }
        return level.get();
    }

    private static long number(YamlMapping lfs, String key, long standard) throws ConfigException {
        return lfs.number(key, BYTES_MAX.min(), BYTES_MAX.max()).orElse(standard);
    }
}
