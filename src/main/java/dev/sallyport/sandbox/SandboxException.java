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
}
