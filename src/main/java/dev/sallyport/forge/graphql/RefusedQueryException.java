package dev.sallyport.forge.graphql;

import dev.sallyport.policy.Refusal;

/// A query that is not served, with the sentence for the client. Has no stack trace: whoever sends
/// queries could make us fill one for each.
final class RefusedQueryException extends Exception {
    private static final long serialVersionUID = 1;
    private final Refusal refusal;
    private final String sentence;

    private RefusedQueryException(Refusal refusal, String sentence) {
        super(sentence, null, false, false);
        this.refusal = refusal;
        this.sentence = sentence;
    }

    /// The document is malformed, or has a form that is not taken here.
    static RefusedQueryException malformed(String sentence) {
        return new RefusedQueryException(Refusal.BAD_REQUEST, sentence);
    }

    /// What is asked for is none of what can be allowed, or is not granted.
    static RefusedQueryException notAllowed(String sentence) {
        return new RefusedQueryException(Refusal.OPERATION_NOT_ALLOWED, sentence);
    }

    /// The same, of what GitHub has and our schema has not. Which word of a document that is says
    /// little to whoever asked gh for a merge or an approval.
    static RefusedQueryException unavailable(String sentence) {
        return notAllowed(
                sentence
                        + " (not available to sandboxes, which cannot merge or approve;"
                        + " see http://gateway.sallyport/policy)");
    }

    static RefusedQueryException because(Verdict.Denied denied) {
        return new RefusedQueryException(denied.refusal(), denied.message());
    }

    Verdict.Denied denied() {
        return new Verdict.Denied(refusal, sentence);
    }
}
