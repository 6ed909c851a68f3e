package dev.sallyport.lfs;

import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.sallyport.relay.StrictJson;

/// JSON of the LFS API, with its limits.
final class LfsJson {
    static final String TYPE = "application/vnd.git-lfs+json";

    private static final int DEPTH_MAX = 8;
    private static final int NUMBER_CHARACTERS_MAX = 19;
    private static final int NAME_CHARACTERS_MAX = 128;
    private static final int STRING_CHARACTERS_MAX = 16 << 10;

    /// Above what 1,000 objects with their actions, or 10,000 locks, need.
    private static final int TOKENS_MAX = 200_000;

    static final StrictJson JSON =
            new StrictJson(
                    StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH_MAX)
                            .maxNumberLength(NUMBER_CHARACTERS_MAX)
                            .maxStringLength(STRING_CHARACTERS_MAX)
                            .maxNameLength(NAME_CHARACTERS_MAX)
                            .maxTokenCount(TOKENS_MAX)
                            .build());

    private LfsJson() {}
}
