package dev.sallyport.credential;

/// An answer repeats the secret that its request carried.
public final class EchoException extends Exception {
    private static final long serialVersionUID = 1L;

    EchoException() {
        super("upstream repeats the secret it was given");
    }
}
