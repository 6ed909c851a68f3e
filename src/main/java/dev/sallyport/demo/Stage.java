package dev.sallyport.demo;

/// Where the demo tells its story; the command line prints it.
public interface Stage {
    /// Something begins that may take a moment.
    void step(String what);

    /// A claim was tried.
    void tried(Claim claim);
}
