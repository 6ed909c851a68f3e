package dev.sallyport.policy;

/// A host, repository, ref or pattern is not in its canonical form. The message names the rule,
/// never echoes raw input.
public final class MalformedNameException extends Exception {
    private static final long serialVersionUID = 1L;

    public MalformedNameException(String rule) {
        super(rule);
    }
}
