package dev.sallyport.policy;

import java.util.List;

/// What a grant allows of Git LFS. [#NONE] allows nothing.
///
/// @param access `READ` downloads objects, `WRITE` uploads them too
/// @param objectBytesMax of one object, in either direction
/// @param uploadBytesMax of all objects that one session uploads, whether a push names them or not
/// @param storage hosts that the git host may keep objects at, besides those that are known
public record LfsRules(
        ApiLevel access, long objectBytesMax, long uploadBytesMax, List<HostPattern> storage) {
    private static final long OBJECT_BYTES_MAX_DEFAULT = 2L << 30;
    private static final long UPLOAD_BYTES_MAX_DEFAULT = 10L << 30;

    public static final LfsRules NONE = standard(ApiLevel.OFF);

    public LfsRules {
        boolean off = access == ApiLevel.OFF;
        objectBytesMax = off ? OBJECT_BYTES_MAX_DEFAULT : objectBytesMax;
        uploadBytesMax = off ? UPLOAD_BYTES_MAX_DEFAULT : uploadBytesMax;
        storage = off ? List.of() : List.copyOf(storage);
        if (objectBytesMax < 1 || uploadBytesMax < 1) {
            throw new IllegalArgumentException(
                    "object-bytes-max and upload-bytes-max are at least 1");
        }
    }

    /// What a grant with this access means when nobody says more.
    public static LfsRules standard(Access access) {
        return standard(level(access));
    }

    private static LfsRules standard(ApiLevel level) {
        return new LfsRules(level, OBJECT_BYTES_MAX_DEFAULT, UPLOAD_BYTES_MAX_DEFAULT, List.of());
    }

    /// As far as somebody with this access may go.
    public static ApiLevel level(Access access) {
        return switch (access) {
            case READ -> ApiLevel.READ;
            case WRITE -> ApiLevel.WRITE;
        };
    }

    public boolean isNone() {
        return access == ApiLevel.OFF;
    }

    boolean allows(GitService service) {
        return access.compareTo(level(service.needs())) >= 0;
    }

    /// What both allow.
    LfsRules and(LfsRules other) {
        return new LfsRules(
                ApiLevel.least(access, other.access),
                Math.min(objectBytesMax, other.objectBytesMax),
                Math.min(uploadBytesMax, other.uploadBytesMax),
                Overlap.of(storage, other.storage, HostPattern::covers));
    }

    LfsRules atMost(Access most) {
        return new LfsRules(
                ApiLevel.least(access, level(most)), objectBytesMax, uploadBytesMax, storage);
    }
}
