package dev.sallyport.policy;

/// What happens when a push adds something that looks like a credential.
public enum SecretScan implements Word {
    DENY,
    WARN,
    OFF
}
