package dev.sallyport.sandbox;

/// A sandbox could not be made, entered or removed. The message is for the person: what is wrong
/// and what to do.
public final class SandboxException extends Exception {
    private static final long serialVersionUID = 1L;

    public SandboxException(String message) {
        super(message);
    }

    public SandboxException(String message, Throwable cause) {
        super(message, cause);
    }

    /// The first sentence: what is wrong.
    public String problem() {
        String text = String.valueOf(getMessage());
        int end = text.indexOf(". ");
        return end < 0 ? text : text.substring(0, end + 1);
    }

    /// The others: what to do.
    public String remedy() {
        String text = String.valueOf(getMessage());
        int end = text.indexOf(". ");
        return end < 0 ? "See: sallyport status" : text.substring(end + 2);
    }
}
