package dev.sallyport.upstream;

/// An answer is not well-formed, or could be read in two ways. What it said is not repeated here.
final class BadAnswerException extends Exception {
    private static final long serialVersionUID = 1L;

    BadAnswerException() {
        super("not a well-formed answer", null, false, false);
    }
}
