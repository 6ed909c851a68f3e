package dev.sallyport.forge.graphql;

/// Upstream's answer is not one to the query that was sent, or exceeds a limit. The client gets
/// none of it.
public final class RefusedAnswerException extends Exception {
    private static final long serialVersionUID = 1;

    public RefusedAnswerException(String message) {
        super(message);
    }
}
