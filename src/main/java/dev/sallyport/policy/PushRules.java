package dev.sallyport.policy;

import java.util.List;

/// What a push may change. An empty list of branches allows none.
public record PushRules(
        List<RefPattern> branches, boolean delete, boolean tags, long packBytesMax) {
    private static final long PACK_BYTES_MAX_DEFAULT = 1L << 30;
    private static final String BRANCHES_DEFAULT = "agent/**";

    public PushRules {
        branches = List.copyOf(branches);
        if (packBytesMax < 1) {
            throw new IllegalArgumentException("pack-bytes-max is at least 1");
        }
    }

    /// What a grant of write access means when nobody says more: `agent/**`, no deletes, no tags.
    public static PushRules standard() {
        try {
            return new PushRules(
                    List.of(RefPattern.parse(BRANCHES_DEFAULT)),
                    false,
                    false,
                    PACK_BYTES_MAX_DEFAULT);
        } catch (MalformedNameException e) {
            throw new AssertionError(e);
        }
    }
}
