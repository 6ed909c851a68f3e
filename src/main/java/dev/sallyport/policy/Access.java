package dev.sallyport.policy;

/// How far a repository is granted. `WRITE` includes `READ`.
public enum Access implements Word {
    READ,
    WRITE
}
