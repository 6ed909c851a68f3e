package dev.sallyport.mirror;

/// Tells the person who waits what is going on. Called from a worker's thread; a line is plain text
/// without a line break.
public interface Progress {
    void line(String text);
}
