package dev.sallyport.demo;

/// The demo could not be played to its end. The message says what is wrong and what to do.
public final class DemoException extends Exception {
    private static final long serialVersionUID = 1L;

    public DemoException(String message) {
        super(message);
    }
}
