package dev.sallyport.policy;

/// How far a kind of API operation, or Git LFS, is granted. `WRITE` includes `READ`.
public enum ApiLevel implements Word {
    OFF,
    READ,
    WRITE;

    static ApiLevel least(ApiLevel one, ApiLevel other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
