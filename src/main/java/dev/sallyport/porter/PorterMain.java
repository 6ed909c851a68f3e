package dev.sallyport.porter;

/// Entry point of the porter process.
public final class PorterMain {
    private PorterMain() {}

    public static void main(String[] args) {
        System.exit(args.length == 0 ? 1 : 2);
    }
}
