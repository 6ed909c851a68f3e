package dev.sallyport.demo;

/// Hears what the demo does; the command line prints it.
public interface DemoListener {
    /// Something begins that may take a moment.
    void step(String what);

    /// A claim was tried.
    void tried(Claim claim);
}
