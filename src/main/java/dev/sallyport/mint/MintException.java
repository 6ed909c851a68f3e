package dev.sallyport.mint;

/// There is no token, and why: a sentence for the person, in which nothing of the answer is
/// repeated.
public final class MintException extends Exception {
    private static final long serialVersionUID = 1L;
    private final String code;
    private final String sentence;

    /// @param code for the record
    public MintException(String code, String sentence) {
        super(sentence);
        this.code = code;
        this.sentence = sentence;
    }

    public String code() {
        return code;
    }

    public String sentence() {
        return sentence;
    }
}
