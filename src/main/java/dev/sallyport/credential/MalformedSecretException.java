package dev.sallyport.credential;

/// What was given as a secret cannot be one. The message names the rule and the remedy, never the
/// bytes.
public final class MalformedSecretException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedSecretException(String rule) {
        super(rule);
    }
}
